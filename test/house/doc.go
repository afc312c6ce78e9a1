// Package house has the tests of the repository itself: that its documents and
// its code say the same, and that the rules of the house hold.
package house
