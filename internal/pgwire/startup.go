package pgwire

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/weirstream/weir/internal/sql"
)

// The codes that stand where a version does, in the first packet.
const (
	codeCancel = 80877102
	codeTLS    = 80877103
	codeGSS    = 80877104
	// newestMinor is the newest version of protocol 3 that we speak: 3.2 has longer cancel keys.
	newestMinor  = 2
	maxStartup   = 10_000 // bytes of the first packet
	longSecret   = 32     // bytes of a cancel key since 3.2
	shortSecret  = 4      // and before
	optionPrefix = "_pq_."
)

// start brings the client to its first statement: TLS, version, who it is, its session.
func (c *conn) start(ctx context.Context) error {
	version, body, err := c.firstPacket(ctx)
	if err != nil {
		return err
	}
	c.in = &peeker{conn: c.stream}
	c.messages = pgproto3.NewBackend(c.in, io.Discard)
	c.messages.SetMaxBodyLen(maxUnauthenticated)
	c.out = writer{conn: c.stream, timeout: c.server.cfg.WriteTimeout}
	if version>>16 != 3 {
		return fail(sql.FeatureNotSupported, "unsupported frontend protocol %d.%d: server supports 3.0 to 3.%d", version>>16, version&0xffff, newestMinor)
	}
	settings, unknown, err := parseStartup(body)
	if err != nil {
		return err
	}
	minor := version & 0xffff
	if minor > newestMinor || len(unknown) > 0 {
		minor = min(minor, newestMinor)
		c.out.send(&pgproto3.NegotiateProtocolVersion{NewestMinorProtocol: 3<<16 | minor, UnrecognizedOptions: unknown})
	}
	who, err := c.identify(settings)
	if err != nil {
		return err
	}
	if err := c.authenticate(ctx, who); err != nil {
		return err
	}
	if !c.server.admit(c) {
		return fail(sql.TooManyConnections, "sorry, too many clients already")
	}
	c.session, err = c.server.cfg.Opener.Open(ctx, who, c)
	if err != nil {
		return toSQL(ctx, err)
	}
	c.messages.SetMaxBodyLen(c.server.cfg.MaxMessage)
	return c.welcome(minor)
}

// firstPacket reads up to the packet with the version, through requests for
// encryption. It reads no byte more, so that nothing sent in the clear passes for encrypted.
func (c *conn) firstPacket(ctx context.Context) (version uint32, body []byte, err error) {
	secure := false
	for range 4 { // TLS, GSS and the version, in any order
		code, body, err := c.packet()
		if err != nil {
			return 0, nil, err
		}
		switch {
		case code == codeCancel:
			if len(body) >= 4 {
				c.server.cancel(binary.BigEndian.Uint32(body), body[4:])
			}
			return 0, nil, errDone
		case code == codeGSS && !secure:
			err = c.answer('N')
		case code == codeTLS && !secure:
			secure = c.server.cfg.TLS != nil
			err = c.beginTLS(ctx, secure)
		case code == codeGSS || code == codeTLS:
			return 0, nil, errDone
		default:
			return code, body, nil
		}
		if err != nil {
			return 0, nil, err
		}
	}
	return 0, nil, errDone
}

// packet reads one packet without a type: its code and what follows.
func (c *conn) packet() (code uint32, body []byte, err error) {
	var head [8]byte
	if _, err := io.ReadFull(c.stream, head[:]); err != nil {
		return 0, nil, errDone // a probe, or somebody who went away
	}
	n := int(int32(binary.BigEndian.Uint32(head[:]))) - len(head)
	if n < 0 || n > maxStartup {
		return 0, nil, errDone // it does not speak our protocol: HTTP, perhaps
	}
	body = make([]byte, n)
	if _, err := io.ReadFull(c.stream, body); err != nil {
		return 0, nil, errDone
	}
	return binary.BigEndian.Uint32(head[4:]), body, nil
}

func (c *conn) answer(b byte) error {
	_, err := c.stream.Write([]byte{b})
	return err
}

func (c *conn) beginTLS(ctx context.Context, offered bool) error {
	if !offered {
		return c.answer('N')
	}
	if err := c.answer('S'); err != nil {
		return err
	}
	secure := tls.Server(c.stream, c.server.cfg.TLS)
	if err := secure.HandshakeContext(ctx); err != nil {
		c.server.cfg.Log.Info("an SQL client's TLS handshake failed", "remote", c.raw.RemoteAddr(), "error", err)
		return errDone
	}
	c.stream = secure
	return nil
}

// parseStartup reads the names and values of the first packet. Unknown protocol
// options are told apart: the client learns that we do not know them.
func parseStartup(body []byte) (settings map[string]string, unknown []string, err error) {
	settings = map[string]string{}
	fields := bytes.Split(body, []byte{0})
	// name, value, …, an empty name, and what is behind the last zero byte: nothing
	if len(fields) < 2 || len(fields)%2 != 0 || len(fields[len(fields)-1])+len(fields[len(fields)-2]) != 0 {
		return nil, nil, protocolViolation("invalid startup packet layout: expected terminator as last byte")
	}
	for i := 0; i+1 < len(fields)-2; i += 2 {
		name, value := strings.ToLower(string(fields[i])), string(fields[i+1])
		switch {
		case name == "":
			return nil, nil, protocolViolation("invalid startup packet layout: empty name")
		case strings.HasPrefix(name, optionPrefix):
			unknown = append(unknown, string(fields[i]))
		case name == "options":
			for k, v := range commandLine(value) {
				settings[k] = v
			}
		default:
			settings[name] = value
		}
	}
	slices.Sort(unknown)
	return settings, unknown, nil
}

// commandLine reads settings out of -c name=value and --name=value; a backslash takes
// the next byte as it is.
func commandLine(options string) map[string]string {
	var words []string
	var word strings.Builder
	open := false
	for i := 0; i < len(options); i++ {
		switch b := options[i]; {
		case b == '\\' && i+1 < len(options):
			i++
			word.WriteByte(options[i])
			open = true
		case b == ' ' || b == '\t' || b == '\n':
			if open {
				words = append(words, word.String())
				word.Reset()
			}
			open = false
		default:
			word.WriteByte(b)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	settings := map[string]string{}
	for i, w := range words {
		var setting string
		switch {
		case strings.HasPrefix(w, "--"):
			setting = w[2:]
		case w == "-c" && i+1 < len(words):
			setting = words[i+1]
		case strings.HasPrefix(w, "-c"):
			setting = w[2:]
		}
		if name, value, ok := strings.Cut(setting, "="); ok {
			settings[strings.ToLower(strings.ReplaceAll(name, "-", "_"))] = value
		}
	}
	return settings
}

// identify finds user and database among the settings and refuses what no session could serve.
func (c *conn) identify(settings map[string]string) (Startup, error) {
	who := Startup{User: settings["user"], Database: settings["database"], Settings: settings, Remote: c.raw.RemoteAddr(), Process: c.process}
	_, who.TLS = c.stream.(*tls.Conn)
	if who.User == "" {
		return who, fail(sql.InvalidAuthorization, "no PostgreSQL user name specified in startup packet")
	}
	if who.Database == "" {
		who.Database = who.User
	}
	switch settings["replication"] {
	case "", "0", "false", "off", "no":
	default:
		return who, fail(sql.FeatureNotSupported, "replication connections are not supported")
	}
	if enc := settings["client_encoding"]; !IsUTF8(enc) {
		return who, fail(sql.FeatureNotSupported, "conversion between %s and UTF8 is not supported", enc)
	}
	for _, name := range []string{"user", "database", "replication", "client_encoding"} {
		delete(settings, name)
	}
	return who, nil
}

// IsUTF8 says whether a client's name of an encoding means UTF-8, or leaves it to us.
func IsUTF8(name string) bool {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "", "'", "").Replace(name)) {
	case "", "utf8", "unicode", "auto", "sqlascii":
		return true
	}
	return false
}

// welcome tells the client all that it wants to know before its first statement.
func (c *conn) welcome(minor uint32) error {
	c.Parameter(Parameter{"server_version", c.server.cfg.Version})
	c.Parameter(Parameter{"server_encoding", "UTF8"})
	c.Parameter(Parameter{"client_encoding", "UTF8"})
	c.Parameter(Parameter{"integer_datetimes", "on"})
	c.Parameter(Parameter{"standard_conforming_strings", "on"})
	c.Parameter(Parameter{"DateStyle", "ISO, MDY"})
	c.Parameter(Parameter{"IntervalStyle", "postgres"})
	for _, p := range c.session.Parameters() {
		c.Parameter(p)
	}
	secret := make([]byte, shortSecret)
	if minor >= newestMinor {
		secret = make([]byte, longSecret)
	}
	_, _ = rand.Read(secret)
	c.secret.Store(&secret)
	c.out.send(&pgproto3.BackendKeyData{ProcessID: c.process, SecretKey: secret})
	c.ready()
	if err := c.out.flush(); err != nil {
		return errors.Join(errDone, err)
	}
	_ = c.raw.SetDeadline(time.Time{})
	return nil
}
