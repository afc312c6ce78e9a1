package tpch

import (
	"math/rand/v2"
	"strings"
)

var (
	regions = []string{"AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"}

	// nations are in the order of their keys.
	nations = []struct {
		name   string
		region int
	}{
		{"ALGERIA", 0}, {"ARGENTINA", 1}, {"BRAZIL", 1}, {"CANADA", 1}, {"EGYPT", 4}, {"ETHIOPIA", 0}, {"FRANCE", 3},
		{"GERMANY", 3}, {"INDIA", 2}, {"INDONESIA", 2}, {"IRAN", 4}, {"IRAQ", 4}, {"JAPAN", 2}, {"JORDAN", 4}, {"KENYA", 0},
		{"MOROCCO", 0}, {"MOZAMBIQUE", 0}, {"PERU", 1}, {"CHINA", 2}, {"ROMANIA", 3}, {"SAUDI ARABIA", 4}, {"VIETNAM", 2},
		{"RUSSIA", 3}, {"UNITED KINGDOM", 3}, {"UNITED STATES", 1},
	}

	colors = strings.Fields(`almond antique aquamarine azure beige bisque black blanched blue blush brown burlywood
		chartreuse chiffon chocolate coral cornsilk cream cyan dark deep dim dodger drab firebrick floral forest frosted
		gainsboro ghost goldenrod green grey honeydew hot indian ivory khaki lace lavender lawn lemon light lime linen magenta
		maroon medium metallic midnight mint misty moccasin navajo navy olive orange orchid pale papaya peach peru pink plum
		powder puff purple red rose rosy royal saddle salmon sandy seashell sienna sky slate smoke snow spring steel tan thistle
		tomato turquoise violet wheat white yellow`)

	types      = [3][]string{{"STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO"}, {"ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED"}, {"TIN", "NICKEL", "BRASS", "STEEL", "COPPER"}}
	containers = [2][]string{{"SM", "LG", "MED", "JUMBO", "WRAP"}, {"CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM"}}
	segments   = []string{"AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY"}
	priorities = []string{"1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"}
	instructs  = []string{"DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"}
	modes      = []string{"REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"}

	plain = strings.Fields(`packages deposits accounts theodolites ideas pinto beans foxes instructions platelets requests
		asymptotes courts dolphins carefully quickly slyly blithely furiously express final regular ironic pending bold even
		silent unusual daring sleep wake are haggle nag cajole boost detect integrate above along among across about the`)
)

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// sentence is plain words of at most limit bytes.
func sentence(r *rand.Rand, limit int) string {
	var b strings.Builder
	for {
		w := pick(r, plain)
		if b.Len()+1+len(w) > limit || b.Len() > limit/2 && r.IntN(4) == 0 {
			return b.String()
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
}
