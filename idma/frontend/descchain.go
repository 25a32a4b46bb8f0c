package frontend

import "github.com/millrace-hdl/millrace/hdl"

// described is a transfer as a descriptor says it.
type described struct {
	Place  hdl.Var // address of the descriptor
	Length hdl.Var
	Flags  hdl.Var // the bits of specification §4.2 that have a meaning, 23:0
	Src    hdl.Var
	Dst    hdl.Var
}

// paced is how many cycles the words of a descriptor take on a bus that is asked for them
// all at once.
func (c DescConfig) paced() int {
	if c.Fetch == FetchAXI4 {
		return c.words()
	}
	return 1
}

func (c DescConfig) describedType() described {
	a := hdl.U(c.Backend.AddrWidth)
	return described{a, hdl.U(32), hdl.U(24), a, a}
}

type chainIO struct {
	Head   hdl.Stream[place64] `hdl:"in"` // first descriptors of the chains that wait
	Pushed hdl.Var             `hdl:"in"` // software launches a chain; it waits from the next cycle on
	Fetch  hdl.Stream[place]
	Came   hdl.Var `hdl:"in"` // as [reading]
	Desc   hdl.Var `hdl:"in"`
	Failed hdl.Var `hdl:"in"`
	Begun  hdl.Var `hdl:"in"`
	Taken  hdl.Var `hdl:"in"` // a transfer that was launched has left for the engine
	// Launch is one with each descriptor of a chain that has come. There are never more
	// launched and not taken than DescConfig.Pending.
	Launch hdl.Var
	Out    described
	Lost   hdl.Var // a descriptor of a chain, at Out.Place, could not be fetched
	Busy   hdl.Var
}

// place64 is the address of a descriptor as software writes it.
type place64 struct{ Addr hdl.Var }

// descChain follows chains of descriptors, and fetches those that lie behind the one
// under way before it is known whether the chain goes there. Fetches are answered in
// order. Those on their way are first some that are no longer wanted, then the next
// descriptor of the chain, then speculative ones, each 32 bytes further. So a link that
// leads 32 bytes further makes the next answer the next descriptor, and any other link
// makes all that are on their way unwanted.
func descChain(m *hdl.Module, c DescConfig) chainIO {
	m.Doc("Follows chains of descriptors, and fetches ahead.")
	a := hdl.U(c.Backend.AddrWidth)
	io := hdl.Ports(m, "", hdl.Source, chainIO{
		Head: hdl.StreamOf(place64{hdl.U(64)}), Pushed: hdl.Bool(), Fetch: hdl.StreamOf(place{a}), Came: hdl.Bool(), Desc: hdl.U(descBits), Failed: hdl.Bool(), Begun: hdl.Bool(), Taken: hdl.Bool(),
		Launch: hdl.Bool(), Out: c.describedType(), Lost: hdl.Bool(), Busy: hdl.Bool(),
	}, hdl.MayBeUnused())
	count := hdl.U(hdl.AddrBits(c.fetches() + 1))
	flying := m.Reg("flying_q", count, hdl.Doc("Fetches on their way."))
	unwanted := m.Reg("unwanted_q", count, hdl.Doc("The first of them, which are dropped."))
	stale := m.Reg("stale_q", count, hdl.Doc("The first of them, which were asked for before the latest chain was launched."))
	known := m.Reg("known_q", hdl.Bool(), hdl.Doc("The next descriptor is at next_q and has not been asked for."))
	next := m.Reg("next_q", a, hdl.NoReset())
	here := m.Reg("here_q", a, hdl.NoReset(), hdl.Doc("Place of the descriptor that comes next, where one is wanted."))
	ahead := m.Reg("ahead_q", a, hdl.NoReset(), hdl.Doc("Place behind the one that was asked for last."))
	pending := m.Reg("pending_q", hdl.U(hdl.AddrBits(c.Pending+1)), hdl.Doc("Transfers that were launched and not taken."))
	step := func(s hdl.Signal) hdl.Signal { return s.Add(hdl.K(descBytes)) }

	wanted := m.Let("wanted", flying.Sub(unwanted))
	idle := m.Let("idle", wanted.None().AndNot(known))

	m.Note("A fetch needs a place for what it brings.")
	bits := pending.Width() + count.Width()
	roomy := m.Let("roomy", wanted.Ext(bits).Add(pending.Ext(bits)).Lt(hdl.K(c.Pending)).And(flying.Lt(hdl.K(c.fetches()))))
	offered := m.Reg("fetch_valid_q", hdl.Bool())
	guess := hdl.Const(1, 0)
	if c.Speculation > 0 {
		guess = wanted.Any().And(wanted.Le(hdl.K(c.Speculation))).AndNot(io.Begun.Signal)
	}
	if n := c.paced(); c.Speculation > 0 && n > 1 {
		m.Note("A guess leaves the bus for the words of the one before, so that its own do not hold up the fetch of a link: not while it might soon be known, either.")
		pause := m.Reg("pause_q", hdl.U(hdl.AddrBits(n)), hdl.Doc("Cycles until the next guess."))
		m.If(io.Fetch.Fire(), func() { pause.Set(hdl.K(n - 2)) }).ElseIf(pause.Any(), func() { pause.Set(pause.Sub(hdl.K(1))) })
		guess = guess.And(pause.None()).AndNot(offered.Signal)
	}
	headAddr := hdl.Cat(io.Head.Data.Addr.Bits(c.Backend.AddrWidth-1, 5), hdl.Const(5, 0))
	begins := m.Let("begins", idle.And(io.Head.Valid))
	address := m.Reg("fetch_addr_q", a, hdl.NoReset())
	free := m.Let("free", offered.Not().Or(io.Fetch.Ready))
	issue := m.Let("issue", roomy.And(free).And(known.Or(begins).Or(guess)))
	target := m.Let("target", hdl.FirstOf(ahead, hdl.Choice{When: known.Signal, Then: next}, hdl.Choice{When: idle, Then: headAddr}))
	m.If(io.Fetch.Ready, func() { offered.Set(hdl.K(0)) })
	m.If(issue, func() {
		offered.Set(hdl.K(1))
		address.Set(target)
		ahead.Set(step(target))
	})
	io.Fetch.Valid.Set(offered)
	io.Fetch.Data.Addr.Set(address)
	m.If(issue.And(known.Or(idle)), func() {
		here.Set(target)
		known.Set(hdl.K(0))
	})

	comes := m.Let("comes", io.Came.And(unwanted.None()))
	link := io.Desc.Bits(atNext+63, atNext)
	ends := m.Let("ends", link.All().Or(io.Failed))
	linked := hdl.Cat(link.Bits(c.Backend.AddrWidth-1, 5), hdl.Const(5, 0))
	after := m.Let("after", step(here.Signal))
	m.Note("After this answer: what is on its way, with what is asked for now.")
	left := m.Let("left", hdl.Mux(issue, flying.Add(hdl.K(1)), flying).Sub(io.Came.Ext(count.Width())))
	m.Note("What was fetched before software had launched a chain may be older than its descriptor.")
	fresh := m.Let("fresh", stale.Le(hdl.K(1)))
	joins := m.Let("joins", ends.AndNot(io.Failed.Signal).And(io.Head.Valid).And(fresh).And(headAddr.Eq(after)).And(left.Any()))
	follows := m.Let("follows", ends.Not().And(linked.Eq(after)).And(left.Any()))
	pop := m.Let("pop", hdl.Mux(comes, joins, begins.And(issue)))

	flying.Set(left)
	m.If(io.Came.AndNot(comes), func() { unwanted.Set(unwanted.Sub(hdl.K(1))) })
	m.If(comes, func() {
		m.If(joins.Or(follows), func() { here.Set(after) }).Else(func() {
			unwanted.Set(left)
			known.Set(ends.Not())
			next.Set(linked)
		})
	})
	m.If(io.Pushed, func() { stale.Set(left) }).
		ElseIf(io.Came.And(stale.Any()), func() { stale.Set(stale.Sub(hdl.K(1))) })
	io.Head.Ready.Set(pop)

	launch := m.Let("launches", comes.AndNot(io.Failed.Signal))
	m.If(launch.AndNot(io.Taken.Signal), func() { pending.Set(pending.Add(hdl.K(1))) }).
		ElseIf(io.Taken.AndNot(launch), func() { pending.Set(pending.Sub(hdl.K(1))) })
	io.Launch.Set(launch)
	io.Lost.Set(comes.And(io.Failed))
	hdl.Assign(io.Out, described{
		Place: here, Length: hdl.V(io.Desc.Bits(atLength+31, atLength)), Flags: hdl.V(io.Desc.Bits(atFlags+23, atFlags)),
		Src: hdl.V(io.Desc.Bits(atSource+c.Backend.AddrWidth-1, atSource)), Dst: hdl.V(io.Desc.Bits(atDest+c.Backend.AddrWidth-1, atDest)),
	})
	io.Busy.Set(idle.Not().Or(io.Head.Valid).Or(flying.Any()))
	m.Assert("no_more_unwanted_than_flying", unwanted.Le(flying))
	m.Assert("pending_bounded", pending.Le(hdl.K(c.Pending)))
	m.Cover("joins_a_chain", comes.And(joins))
	m.Cover("follows_a_guess", comes.And(follows))
	return io
}
