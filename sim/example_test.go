package sim_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/holter-sim/holter/sim"
)

// A loop ticks every 10 s and up to 4 % more. Its body blocks like any code;
// between ticks it is nothing but a timer.
func ExampleHost_Every() {
	engine := sim.New(sim.Options{Seed: 1})
	defer engine.Close()

	node := engine.NewHost("node-1")
	node.Every("lease", 10*time.Second, 0.04, true, func() {
		sent := engine.Now()
		node.Sleep(4 * time.Millisecond) // the API server answers
		fmt.Println(sent, "renewed at", engine.Now())
	})

	if err := engine.RunUntil(sim.Time(30 * time.Second)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 000000.000000s renewed at 000000.004000s
	// 000010.363745s renewed at 000010.367745s
	// 000020.379667s renewed at 000020.383667s
}

// A request is in flight when its node dies: deferred calls run, and the line
// after Wait never does.
func ExampleHost_Kill() {
	engine := sim.New(sim.Options{})
	defer engine.Close()

	node := engine.NewHost("node-1")
	node.Go("request", func() {
		fmt.Println(engine.Now(), "connection opened")
		defer func() { fmt.Println(engine.Now(), "connection closed") }()

		reply := node.NewWaiter()
		engine.After(50*time.Millisecond, reply.Wake)
		reply.Wait()
		fmt.Println("never printed")
	})
	engine.After(20*time.Millisecond, node.Kill)

	if err := engine.RunUntil(sim.Time(time.Second)); err != nil {
		fmt.Println(err)
	}
	fmt.Println(engine.Now(), "alive:", node.Alive())
	// Output:
	// 000000.000000s connection opened
	// 000000.020000s connection closed
	// 000001.000000s alive: false
}

// A stream depends on the seed and on its own name. Another node, with as many
// draws as it likes, changes nothing for this one.
func ExampleHost_Rand() {
	draws := func(others int) (draws []int64) {
		engine := sim.New(sim.Options{Seed: 7})
		defer engine.Close()
		for i := range others {
			engine.NewHost(fmt.Sprint("other-", i)).Rand("jitter").Int64N(100)
		}
		jitter := engine.NewHost("node-1").Rand("jitter")
		for range 5 {
			draws = append(draws, jitter.Int64N(100))
		}
		return draws
	}
	fmt.Println(draws(0))
	fmt.Println(draws(1000))
	// Output:
	// [23 58 67 19 64]
	// [23 58 67 19 64]
}

// Under SIGSTOP nothing happens; at SIGCONT everything does, in order.
func ExampleHost_Pause() {
	engine := sim.New(sim.Options{})
	defer engine.Close()

	node := engine.NewHost("node-1")
	for i := range 3 {
		node.After(time.Duration(i+1)*time.Second, func() { fmt.Println(engine.Now(), "timer", i+1) })
	}
	engine.At(sim.Time(1500*time.Millisecond), node.Pause)
	engine.At(sim.Time(10*time.Second), node.Resume)

	if err := engine.RunUntil(sim.Time(time.Minute)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 000001.000000s timer 1
	// 000010.000000s timer 2
	// 000010.000000s timer 3
}

// A clock that gains a second in 100: ten of its seconds are over early.
func ExampleClock_SetDrift() {
	engine := sim.New(sim.Options{})
	defer engine.Close()

	node := engine.NewHost("node-1")
	node.Clock().SetDrift(10_000_000)
	node.Go("sleeper", func() {
		node.Sleep(10 * time.Second)
		fmt.Println(engine.Now(), "its clock shows", node.Now().Format("15:04:05"))
	})

	if err := engine.RunUntil(sim.Time(time.Minute)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 000009.900990s its clock shows 00:00:10
}

// A panic ends the run with an error that says how to see it again.
func ExampleProcessPanic() {
	engine := sim.New(sim.Options{Seed: 42})
	defer engine.Close()

	node := engine.NewHost("node-1")
	node.Go("kubelet", func() {
		node.Sleep(115 * time.Second)
		panic("no such node")
	})

	err := engine.RunUntil(sim.Time(time.Hour))
	fmt.Println(err)
	var p *sim.ProcessPanic
	fmt.Println(errors.As(err, &p), p.Host, p.At, p.Seed)
	// Output:
	// panic in process "kubelet" of host "node-1" at 000115.000000s, seed 42: no such node
	// true node-1 000115.000000s 42
}

// Latencies are drawn from what one usually knows of them.
func ExampleLogNormal() {
	latency, err := sim.LogNormal(4*time.Millisecond, 20*time.Millisecond)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(latency)
	fmt.Println(latency.Quantile(500), latency.Quantile(990), latency.Max().Round(time.Millisecond))
	// Output:
	// p50 4ms p99 20ms
	// 4ms 20ms 321ms
}
