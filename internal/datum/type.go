package datum

// Kind is what a type is made of (PostgreSQL's typtype, plus arrays).
type Kind string

// Kinds of type.
const (
	KindBase       Kind = "base"
	KindArray      Kind = "array"
	KindEnum       Kind = "enum"
	KindDomain     Kind = "domain"
	KindComposite  Kind = "composite"
	KindRange      Kind = "range"
	KindMultirange Kind = "multirange"
)

// Type describes a type that is not built in, enough to create it elsewhere
// and to take its values apart.
type Type struct {
	OID       uint32   `json:"oid"`
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Kind      Kind     `json:"kind"`
	Elem      uint32   `json:"elem,omitempty"`      // array element, range subtype
	Base      uint32   `json:"base,omitempty"`      // of a domain
	BaseName  string   `json:"base_name,omitempty"` // of a domain, with typmod, as format_type prints it
	Labels    []string `json:"labels,omitempty"`    // of an enum, in order
	Fields    []Field  `json:"fields,omitempty"`    // of a composite
	Extension string   `json:"extension,omitempty"` // the extension that brings it, such as hstore
}

// Field is one attribute of a composite type.
type Field struct {
	Name     string `json:"name"`
	Type     uint32 `json:"type"`
	TypeName string `json:"type_name"`
}
