package pgwire

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/xdg-go/scram"

	"github.com/weirstream/weir/internal/sql"
)

const (
	mechanism     = "SCRAM-SHA-256"
	mechanismPlus = "SCRAM-SHA-256-PLUS" // bound to the TLS connection
	iterations    = 4096
	saltLength    = 16 // bytes
)

// NewVerifier makes what is stored of a password, in PostgreSQL's form: it proves a
// client's knowledge and does not give the password away.
func NewVerifier(password string) (string, error) {
	salt := make([]byte, saltLength)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	client, err := scram.SHA256.NewClient("", password, "")
	if err != nil { // what SASLprep forbids is taken as it is, as PostgreSQL does
		if client, err = scram.SHA256.NewClientUnprepped("", password, ""); err != nil {
			return "", err
		}
	}
	keys, err := client.GetStoredCredentialsWithError(scram.KeyFactors{Salt: string(salt), Iters: iterations})
	if err != nil {
		return "", err
	}
	enc := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("%s$%d:%s$%s:%s", mechanism, iterations, enc(salt), enc(keys.StoredKey), enc(keys.ServerKey)), nil
}

// IsVerifier says whether a password given by an administrator is a verifier already.
func IsVerifier(password string) bool {
	_, err := parseVerifier(password)
	return err == nil
}

// parseVerifier reads SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey.
func parseVerifier(v string) (keys scram.StoredCredentials, err error) {
	parts := strings.FieldsFunc(v, func(r rune) bool { return r == '$' || r == ':' })
	if len(parts) != 5 || parts[0] != mechanism {
		return keys, fmt.Errorf("not a %s verifier", mechanism)
	}
	var salt []byte
	if keys.Iters, err = strconv.Atoi(parts[1]); err == nil && keys.Iters > 0 {
		if salt, err = base64.StdEncoding.DecodeString(parts[2]); err == nil {
			if keys.StoredKey, err = base64.StdEncoding.DecodeString(parts[3]); err == nil {
				keys.ServerKey, err = base64.StdEncoding.DecodeString(parts[4])
			}
		}
	}
	keys.Salt = string(salt)
	if err != nil || len(keys.StoredKey) != 32 || len(keys.ServerKey) != 32 {
		return keys, fmt.Errorf("not a %s verifier", mechanism)
	}
	return keys, nil
}

// authenticate finds out whether the client is who it says. From a loopback address a
// user without a password is believed; all others prove that they know theirs, and
// from elsewhere they do it under TLS.
func (c *conn) authenticate(ctx context.Context, who Startup) error {
	verifier, known, err := c.server.cfg.Users.Verifier(ctx, who.User)
	if err != nil {
		return toSQL(ctx, err)
	}
	local := isLoopback(who.Remote)
	if !local && !who.TLS && !c.server.cfg.Insecure {
		return &sql.Error{Code: sql.InvalidAuthorization, Message: "this server takes connections from other hosts under TLS only", Pos: -1,
			Hint: "Connect with sslmode=require."}
	}
	switch {
	case local && !known:
		return fail(sql.InvalidAuthorization, "role \"%s\" does not exist", who.User)
	case local && verifier == "":
	default:
		if err := c.prove(who.User, verifier); err != nil {
			return err
		}
	}
	c.out.send(&pgproto3.AuthenticationOk{})
	return nil
}

func isLoopback(a net.Addr) bool {
	switch a := a.(type) {
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	case *net.UnixAddr:
		return true
	}
	return false
}

// prove runs SCRAM. A user who does not exist, or has no password, looks like one who
// got it wrong.
func (c *conn) prove(user, verifier string) error {
	refused := fail(sql.InvalidPassword, "password authentication failed for user \"%s\"", user)
	keys, err := parseVerifier(verifier)
	if err != nil {
		keys = c.server.nobody(user)
	}
	server, err := scram.SHA256.NewServer(func(string) (scram.StoredCredentials, error) { return keys, nil })
	if err != nil {
		return err
	}
	binding, plus := c.binding()
	offer := []string{mechanism}
	conversation := server.NewConversation()
	if plus {
		offer = []string{mechanismPlus, mechanism}
		conversation = server.NewConversationWithChannelBinding(binding)
	}
	c.out.send(&pgproto3.AuthenticationSASL{AuthMechanisms: offer})
	first, err := c.saslFirst(offer)
	if err != nil {
		return err
	}
	challenge, err := conversation.Step(first)
	if err != nil {
		return refused
	}
	c.out.send(&pgproto3.AuthenticationSASLContinue{Data: []byte(challenge)})
	final, err := c.saslFinal()
	if err != nil {
		return err
	}
	proof, err := conversation.Step(final)
	if err != nil || !conversation.Valid() || verifier == "" {
		return refused
	}
	c.out.send(&pgproto3.AuthenticationSASLFinal{Data: []byte(proof)})
	return nil
}

// nobody are keys that no password fits. A user who is not there has the same salt each time, as
// one who is.
func (s *Server) nobody(user string) scram.StoredCredentials {
	derive := func(what string) []byte {
		mac := hmac.New(sha256.New, s.mock[:])
		mac.Write([]byte(what + user))
		return mac.Sum(nil)
	}
	return scram.StoredCredentials{KeyFactors: scram.KeyFactors{Salt: string(derive("salt")[:saltLength]), Iters: iterations},
		StoredKey: derive("stored"), ServerKey: derive("server")}
}

// binding ties the proof to the TLS connection, so that nobody in the middle can pass
// it on. It needs to know which certificate was shown: the only one.
func (c *conn) binding() (scram.ChannelBinding, bool) {
	cfg := c.server.cfg.TLS
	if _, secure := c.stream.(*tls.Conn); !secure || len(cfg.Certificates) != 1 || cfg.GetCertificate != nil || cfg.GetConfigForClient != nil {
		return scram.ChannelBinding{}, false
	}
	leaf, err := x509.ParseCertificate(cfg.Certificates[0].Certificate[0])
	if err != nil {
		return scram.ChannelBinding{}, false
	}
	b, err := scram.NewTLSServerEndpointBinding(&tls.ConnectionState{PeerCertificates: []*x509.Certificate{leaf}})
	return b, err == nil
}

func (c *conn) saslFirst(offer []string) (string, error) {
	msg, err := c.saslMessage(pgproto3.AuthTypeSASL)
	if err != nil {
		return "", err
	}
	first, ok := msg.(*pgproto3.SASLInitialResponse)
	if !ok {
		return "", protocolViolation("expected SASL response, got message type %T", msg)
	}
	for _, m := range offer {
		if m == first.AuthMechanism {
			return string(first.Data), nil
		}
	}
	return "", protocolViolation("client selected an invalid SASL authentication mechanism")
}

func (c *conn) saslFinal() (string, error) {
	msg, err := c.saslMessage(pgproto3.AuthTypeSASLContinue)
	if err != nil {
		return "", err
	}
	final, ok := msg.(*pgproto3.SASLResponse)
	if !ok {
		return "", protocolViolation("expected SASL response, got message type %T", msg)
	}
	return string(final.Data), nil
}

func (c *conn) saslMessage(step uint32) (pgproto3.FrontendMessage, error) {
	if err := c.out.flush(); err != nil {
		return nil, err
	}
	if err := c.messages.SetAuthType(step); err != nil {
		return nil, err
	}
	return c.receive()
}
