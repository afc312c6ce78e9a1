package sum

import "testing"

func TestSum(t *testing.T) {
	if Sum(2, 3) != 5 {
		t.Error("2 + 3")
	}
}
