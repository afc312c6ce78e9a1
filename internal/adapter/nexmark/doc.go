// Package nexmark generates the auction site of the Nexmark benchmark: persons,
// auctions and bids, by the published rules of its generator. Event n is a
// function of the seed and n, so a stream can be read again from any position,
// by several readers, in parts.
//
//	event number  0      1 2 3    4 … 49    50     51 …
//	              person auction  bid       person auction …        1 : 3 : 46 of 50
//	time          base + n / rate
//
// Invariants:
//   - Fill(t, a, b) + Fill(t, b, c) = Fill(t, a, c), on any machine;
//   - ids grow as the rules say, so that joins find what they should;
//   - a batch does not allocate per event: channels and urls lie in one arena that
//     all batches share, and text is cut out of one long random text.
//
// The rules of ids, skew, prices and sizes are those of github.com/nexmark/nexmark
// (NexmarkGenerator and its PersonGenerator, AuctionGenerator, BidGenerator), with the
// bidder's offset added once, as RisingWave and Feldera do. Its random numbers are not
// ours, so results are comparable by distribution only. Text is cut out of a shared one:
// it has the rules' lengths and letters, but is less random than theirs.
package nexmark
