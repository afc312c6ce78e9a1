// Package controltest gives tests a control.Control with a real metastore and a
// runtime that records what it is told instead of running it. It is for the
// tests of control itself and of the doors.
package controltest
