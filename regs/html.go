package regs

import (
	"html/template"
	"strings"
)

// page is the reference as one file that needs no other.
var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Name}}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 2rem; }
th, td { border-bottom: 1px solid #ddd; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
code { font: 14px ui-monospace, monospace; }
a { color: #06c; text-decoration: none; }
</style>
</head>
<body>
<h1>{{.Name}}</h1>
<!-- Generated from the register map; do not edit. -->
<p>{{.Doc}} Registers of {{.Width}} bits at byte offsets.</p>
<table>
<tr><th>offset</th><th>register</th><th>access</th><th></th></tr>
{{- range .Registers}}
<tr><td><code>{{.Place}}</code></td><td><a href="#{{.Name}}"><code>{{.Title}}</code></a></td><td>{{.Rights}}</td><td>{{.Doc}}</td></tr>
{{- end}}
</table>
{{- range .Registers}}
<h2 id="{{.Name}}"><code>{{.Name}}</code></h2>
<p>Offset <code>{{.Place}}</code>{{.Steps}}. {{.Text}}</p>
<table>
<tr><th>bits</th><th>field</th><th>access</th><th>reset</th><th></th></tr>
{{- range .Fields}}
<tr><td>{{.Place}}</td><td><code>{{.Name}}</code></td><td>{{.Access}}</td><td>{{.Reset}}</td><td>{{.Meaning}}</td></tr>
{{- end}}
</table>
{{- end}}
</body>
</html>
`))

type pageRegister struct {
	Name, Title, Place, Steps, Rights, Doc, Text string
	Fields                                       []pageField
}

type pageField struct{ Name, Place, Access, Reset, Meaning string }

// html fills the page.
func (m *Map) html() string {
	data := struct {
		Name, Doc string
		Width     int
		Registers []pageRegister
	}{Name: m.Name, Doc: m.Doc, Width: m.DataWidth}
	for i := range m.Registers {
		r := &m.Registers[i]
		p := pageRegister{r.Name, r.title(), m.place(r), m.steps(r), r.rights(), r.Doc, strings.Join(r.sentences(), " "), nil}
		for k := range r.Fields {
			f := &r.Fields[k]
			p.Fields = append(p.Fields, pageField{f.Name, f.place(), f.Access.String(), f.initial(), f.meaning()})
		}
		data.Registers = append(data.Registers, p)
	}
	var b strings.Builder
	if err := page.Execute(&b, data); err != nil { // the page and its data are of this file
		panic(err)
	}
	return b.String()
}
