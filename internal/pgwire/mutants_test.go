package pgwire_test

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutants(t *testing.T) {
	for name, m := range map[string]struct{ file, old, new, run string }{
		"after an error nothing is done until Sync": {"loop.go", "c.skipping = true", "c.skipping = false", "TestConversations"},
		"the Session hears of an error":             {"loop.go", "\tc.session.Fail()\n", "", "TestTransactions"},
		"a Query has one ReadyForQuery":             {"loop.go", "\t\tif err := c.endFailed(ctx); err != nil {\n\t\t\treturn err\n\t\t}\n\t}\n", "\t\tc.ready()\n\t}\n", "TestConversations"},
		"success is told when it is durable":        {"run.go", "\tif last {\n", "\tif last && rows < 0 {\n", "TestASuccessIsToldWhenItIsDurable"},
		"only the client's key cancels":             {"conn.go", "own != nil && subtle.ConstantTimeCompare(*own, secret) == 1", "own != nil && subtle.ConstantTimeCompare(*own, secret) < 2", "TestAStatementIsCanceled"},
		"before a password messages are short":      {"startup.go", "c.messages.SetMaxBodyLen(maxUnauthenticated)", "c.messages.SetMaxBodyLen(1 << 20)", "TestPasswordMessagesOutOfOrder"},
		"other hosts come under TLS":                {"auth.go", "if !local && !who.TLS && !c.server.cfg.Insecure {", "if !local && !who.TLS && c.server == nil {", "TestWhoComesIn"},
		"a statement ends with its client":          {"run.go", "\tdefer stop()\n\treturn p.Next(ctx)", "\tstop()\n\treturn p.Next(ctx)", "TestAStatementEndsWhenItsClientIsGone"},
		"what was read ahead is kept":               {"peek.go", "p.has = n == 1", "p.has = n == 7", "TestAByteThatComes"},
		"a panic ends its connection alone":         {"conn.go", "if p := recover(); p != nil {", "if p := error(nil); p != nil {", "TestAPanic"},
		"a client that is slow costs no memory":     {"run.go", "if len(c.out.buf) >= flushAt {\n\t\t\tif err := context.Cause(ctx)", "if len(c.out.buf) >= flushAt<<20 {\n\t\t\tif err := context.Cause(ctx)", "TestAClientThatDoesNotRead"},
	} {
		t.Run(name, func(t *testing.T) { mutant.Kill(t, ".", m.file, m.old, m.new, m.run) })
	}
}
