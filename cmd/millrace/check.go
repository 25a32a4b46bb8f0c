package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/millrace-hdl/millrace/gen"
	"github.com/millrace-hdl/millrace/gen/lint"
	"github.com/millrace-hdl/millrace/hdl/sim"
	"github.com/millrace-hdl/millrace/idma/backend"
	"github.com/millrace-hdl/millrace/tb"
	"github.com/millrace-hdl/millrace/tb/job"
)

// checkCmd is `millrace check`, the main job.
type checkCmd struct {
	Output  string `short:"o" default:"out" placeholder:"DIR" help:"Folder to generate into."`
	Jobs    string `default:"tb/testdata/jobs" placeholder:"DIR" help:"Folder of job files."`
	Latency int    `default:"13" placeholder:"L" help:"Read and write latency of the memory in cycles."`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

// Help is what --help adds.
func (checkCmd) Help() string {
	return `For each width, and for a few sets of ports over which the transfers are spread: emits the engine, has Verilator, Yosys and Icarus read it without a warning, and runs every job
file of a folder on the Go model and the RTL in lockstep. Files of transfers with operations are run on an engine that has all of these. Exits with 1 when anything is wrong. The job files of this
project are found at the root of its repository.

Examples:
  mkdir jobs
  millrace example jobs.yaml >jobs/jobs.yaml
  millrace check --jobs jobs -o engines
  millrace check --jobs jobs -o engines --json`
}

// checkRow is one job file on one design.
type checkRow struct {
	Design      string  `json:"design"`
	File        string  `json:"file"`
	Jobs        int     `json:"jobs"`
	Bytes       uint64  `json:"bytes"`
	Cycles      uint64  `json:"cycles"`
	Utilisation float64 `json:"utilisation"`
	Bound       float64 `json:"bound"`
	Errors      int     `json:"errors"` // mismatches and protocol errors
	Lint        string  `json:"lint"`   // ok, or the tools that complain
	Note        string  `json:"note"`   // what the bound knows nothing of

	findings error
}

// Run carries out the command.
func (c checkCmd) Run(a *app) error {
	if c.Latency < 1 {
		return usagef("--latency is %d; at least 1", c.Latency)
	}
	files, err := readJobs(c.Jobs)
	if err != nil {
		return err
	}
	var rows []checkRow
	var problems []error
	designs := slices.DeleteFunc(checkDesigns(), func(d checkDesign) bool { return len(d.can(files)) == 0 })
	for _, d := range designs {
		cfg, name := d.cfg, d.name
		lists := d.over(d.can(files))
		complaints, err := a.emitAndLint(cfg, filepath.Join(c.Output, name))
		if err != nil {
			return err
		}
		verdict := lintOK
		for _, r := range complaints {
			problems = append(problems, fmt.Errorf("%s: %w\n%s", name, r.Err, r.Output))
			verdict = strings.TrimPrefix(verdict+", "+string(r.Tool), lintOK+", ")
		}
		mk, err := a.newEngineMaker(engineLockstep, cfg)
		if err != nil {
			return err
		}
		first := len(rows)
		for i, l := range lists {
			if l, err = tb.Check(l, sim.NewLayout(mk.design), tb.RunConfig{Compute: cfg.Compute}); err != nil {
				return usage(err)
			}
			lists[i] = l
			rows = append(rows, checkRow{Design: name, File: filepath.Base(l.Name), Jobs: len(l.Jobs), Bytes: l.Bytes(), Lint: verdict,
				Note: note(l), Bound: tb.Bound(l, cfg.DataWidth/8, cfg.Outstanding, c.Latency)})
		}
		err = a.each(len(lists), a.bar(len(lists), name+" in lockstep"), func(i int) error {
			return a.check(mk, lists[i], tb.RunConfig{ReadLatency: c.Latency, WriteLatency: c.Latency, Compute: cfg.Compute}, &rows[first+i])
		})
		if err != nil {
			return err
		}
	}
	wrong := 0
	for _, r := range rows {
		if r.findings != nil {
			problems = append(problems, fmt.Errorf("%s, %s: %w", r.Design, r.File, r.findings))
		}
		if r.findings != nil || r.Lint != lintOK {
			wrong++
		}
	}
	if c.JSON {
		err = a.printJSON(struct {
			Rows []checkRow `json:"rows"`
		}{rows})
	} else {
		err = a.printTable(checkTable(rows))
	}
	if len(problems) > 0 {
		problems = append(problems, fmt.Errorf("NOT passed: %d of %d lines of the table are wrong, as said above", wrong, len(rows)))
	} else if err == nil && !c.JSON {
		_, err = fmt.Fprintf(a.stdout, "Everything passed: %d designs, read by %s without a warning; %s, model and RTL in lockstep.\n",
			len(designs), toolNames(), filesOn(files))
	}
	return errors.Join(append([]error{err}, problems...)...)
}

const lintOK = "ok"

// toolNames lists the tools of the lint in words.
func toolNames() string {
	var names []string
	for _, t := range lint.All() {
		names = append(names, string(t))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// filesOn says how many job files there are and where they were run.
func filesOn(files []*job.List) string {
	computing := 0
	for _, l := range files {
		if l.Computes() {
			computing++
		}
	}
	plain := len(files) - computing
	var said []string
	if plain > 0 {
		said = append(said, fmt.Sprintf("%d job %s on each", plain, plural("file", plain)))
	}
	if computing > 0 {
		said = append(said, fmt.Sprintf("%d with operations on the engine that has them", computing))
	}
	return strings.Join(said, ", ")
}

func plural(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// note is what costs a list cycles that its bound knows nothing of, in a word.
func note(l *job.List) string {
	var notes []string
	if l.CheckIndependent() != nil {
		notes = append(notes, "overlaps")
	}
	if slices.ContainsFunc(l.Jobs, func(j job.Job) bool { return j.Refused() }) {
		notes = append(notes, "refused")
	}
	if slices.ContainsFunc(l.Jobs, func(j job.Job) bool { _, _, ok := j.Tile(); return ok }) {
		notes = append(notes, "tiles")
	}
	return strings.Join(notes, ", ")
}

// readJobs reads every job file of a folder, in the order of their names.
func readJobs(dir string) ([]*job.List, error) {
	var paths []string
	for _, pattern := range []string{"*.yaml", "*.yml", "*.txt"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, usagef("--jobs %s: %w", dir, err)
		}
		paths = append(paths, found...)
	}
	if len(paths) == 0 {
		return nil, usagef("--jobs %s holds no job file (*.yaml, *.yml or *.txt); name a folder that does, or run at the root of the repository", dir)
	}
	slices.Sort(paths)
	lists := make([]*job.List, len(paths))
	for i, p := range paths {
		l, err := job.ReadFile(p, 1)
		if err != nil {
			return nil, usage(err)
		}
		lists[i] = l
	}
	return lists, nil
}

// emitAndLint writes the design and returns what the tools that complain say.
func (a *app) emitAndLint(cfg backend.Config, dir string) ([]lint.Result, error) {
	d, err := backend.Elaborate(cfg)
	if err != nil {
		return nil, err
	}
	files, err := gen.Emit(d, gen.Options{})
	if err != nil {
		return nil, err
	}
	if err := gen.WriteDir(dir, files); err != nil {
		return nil, err
	}
	tools := lint.All()
	results := make([]lint.Result, len(tools))
	err = a.each(len(tools), a.bar(len(tools), "lint of "+filepath.Base(dir)), func(i int) error {
		results[i] = lint.Lint(a.ctx, dir, d.Top.Name, tools[i:i+1])[0]
		return nil
	})
	if err != nil {
		return nil, err
	}
	var complaints []lint.Result
	for _, r := range results {
		if errors.Is(r.Err, lint.ErrMissing) || a.ctx.Err() != nil {
			return nil, r.Err
		}
		if r.Err != nil {
			complaints = append(complaints, r)
		}
	}
	return complaints, nil
}

// check runs a list in lockstep and fills in its row.
func (a *app) check(mk *maker, list *job.List, cfg tb.RunConfig, row *checkRow) error {
	cfg.Seed = 1
	eng, err := mk.run(cfg.Seed)
	if err != nil {
		return err
	}
	defer func() { _ = eng.Close() }()
	res, err := tb.Run(a.ctx, eng, list, cfg)
	if err != nil {
		return fmt.Errorf("%s, %s: %w", row.Design, row.File, err)
	}
	row.Cycles, row.Utilisation = res.Cycles, res.Utilisation
	row.Errors, row.findings = res.Mismatches+res.ProtocolErrors, res.Err()
	return nil
}

func checkTable(rows []checkRow) table.Writer {
	t := newTable([]any{"design", "file", "jobs", "bytes", "cycles", "utilisation", "bound", "note", "errors", "lint"},
		"jobs", "bytes", "cycles", "utilisation", "bound", "errors")
	for i, r := range rows {
		if i > 0 && r.Design != rows[i-1].Design {
			t.AppendSeparator()
		}
		t.AppendRow(table.Row{r.Design, r.File, r.Jobs, r.Bytes, r.Cycles, percent(r.Utilisation), percent(r.Bound), r.Note, r.Errors, r.Lint})
	}
	t.SetTitle("The engine, Go model and RTL in lockstep")
	t.SetCaption("The bound is that of an engine that lets a cycle pass before it reuses the place of a finished read; this one does not.\n" +
		"It knows nothing of overlaps, where the bench waits for earlier transfers, nor of refused transfers, such as\n" +
		"empty ones, each answered in its turn, nor of tiles, of which nothing is written before all is read.")
	return t
}
