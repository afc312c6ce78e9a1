package worker

import "sync"

// crew is a goroutine for each shard but the first, whose work the caller does.
type crew struct {
	tasks []chan func()
	wait  sync.WaitGroup
}

func newCrew(n int) *crew {
	c := &crew{}
	for range n - 1 {
		tasks := make(chan func())
		c.tasks = append(c.tasks, tasks)
		go func() {
			for do := range tasks {
				do()
			}
		}()
	}
	return c
}

// each calls fn for every shard that has work, in parallel, and waits.
func (c *crew) each(has func(shard int) bool, fn func(shard int)) {
	for i, tasks := range c.tasks {
		if !has(i + 1) {
			continue
		}
		c.wait.Add(1)
		tasks <- func() {
			defer c.wait.Done()
			fn(i + 1)
		}
	}
	if has(0) {
		fn(0)
	}
	c.wait.Wait()
}

func (c *crew) close() {
	for _, tasks := range c.tasks {
		close(tasks)
	}
}

func all(int) bool { return true }
