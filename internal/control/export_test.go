package control

import "context"

// CheckChangefeedName is checkChangefeedName, for the tests outside the package.
var CheckChangefeedName = checkChangefeedName

// Hide is hide, for the tests outside the package.
func (c *Control) Hide(err error) error { return c.hide(err) }

// Locks is locks, for the tests outside the package.
type Locks struct{ locks }

// Acquire is acquire.
func (l *Locks) Acquire(ctx context.Context, name string) (func(), error) {
	return l.acquire(ctx, name)
}

// Held counts the locks in memory.
func (l *Locks) Held() int { return len(l.held) }
