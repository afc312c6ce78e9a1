package postgres

import "context"

// CheckTarget tells whether a target can be reached and is a server that we can
// deliver to. What the role may do there shows when the sink opens.
func CheckTarget(ctx context.Context, url string) error {
	conn, err := connect(ctx, url, "weir check", target)
	if err != nil {
		return err
	}
	quietly(conn)
	return nil
}
