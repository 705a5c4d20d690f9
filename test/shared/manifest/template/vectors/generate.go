// Writes the vectors that hold the template renderer to Go's own text/template:
//
//	go run generate.go > vectors.json
//
// Each vector has a template, the name of its data and what Go makes of it: with missingkey=error (strict) and with the
// default (lenient). An outcome is {"output": text}, {"error": "parse"} or {"error": "exec"}.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// The data as it stands in the file; numbers become int where JavaScript holds them exactly, float64 otherwise.
var data = map[string]string{
	"empty": `{}`,
	"main": `{
		"s": "text", "empty": "", "n": 42, "zero": 0, "neg": -7, "f": 2.5, "big": 9007199254740991, "huge": 1e21,
		"tiny": 0.000001, "t": true, "no": false, "nothing": null, "multi": "one\ntwo", "braces": "{{.s}}",
		"uni": "héllo, 世界", "quote": "say \"hi\" \\ 'x'", "ctl": "tab\tbell\u0007nul\u0000", "emoji": "😀",
		"list": [1, 2, 3], "words": ["a", "b", "c"], "mixed": [1, "x", null, true, 2.5, [1, 2], {"k": "v"}],
		"none": [], "map": {"b": 2, "a": 1, "c": null}, "nomap": {},
		"deep": {"a": {"b": {"c": "end", "n": 5}}, "list": [{"name": "x", "port": 80}, {"name": "y", "port": 443}]},
		"envs": [{"name": "A", "value": "1"}, {"name": "B"}], "order": {"z": 1, "é": 2, "Z": 3, "😀": 4, "\uffee": 5, "10": 6, "9": 7},
		"constructor": "c", "__proto__": "p", "x1": "under_1", "_u": "u"
	}`,
}

type outcome struct {
	Output *string `json:"output,omitempty"`
	Error  string  `json:"error,omitempty"`
}

type vector struct {
	Template string  `json:"template"`
	Data     string  `json:"data"`
	Strict   outcome `json:"strict"`
	Lenient  outcome `json:"lenient"`
}

func convert(value any) any {
	switch v := value.(type) {
	case json.Number:
		if f, err := v.Float64(); err == nil {
			if f == math.Trunc(f) && math.Abs(f) <= 1<<53-1 {
				return int(f)
			}
			return f
		}
	case []any:
		for i := range v {
			v[i] = convert(v[i])
		}
		return slices.Clip(v)
	case map[string]any:
		for key := range v {
			v[key] = convert(v[key])
		}
	}
	return value
}

func decode(text string) any {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	return convert(value)
}

func run(source string, data any, option string) outcome {
	tmpl, err := template.New("t").Option(option).Parse(source)
	if err != nil {
		return outcome{Error: "parse"}
	}
	var out bytes.Buffer
	if err := tmpl.Execute(&out, data); err != nil {
		return outcome{Error: "exec"}
	}
	text := out.String()
	return outcome{Output: &text}
}

func templates() []string {
	list := slices.Clone(written)
	values := []string{".s", ".empty", ".n", ".zero", ".neg", ".f", ".huge", ".tiny", ".t", ".no", ".nothing", ".missing",
		".list", ".words", ".mixed", ".none", ".map", ".nomap", ".deep", ".uni", ".quote", ".ctl", ".emoji", ".multi"}
	for _, value := range values {
		list = append(list,
			"{{"+value+"}}",
			"{{if "+value+"}}yes{{else}}no{{end}}",
			"{{with "+value+"}}[{{.}}]{{else}}none{{end}}",
			"{{range "+value+"}}<{{.}}>{{else}}empty{{end}}",
			"{{not "+value+"}} {{len "+value+"}}",
			"{{print "+value+" 1 "+value+" \"q\"}}|{{println "+value+" nil}}",
		)
		for _, verb := range []string{"v", "s", "d", "q", "x", "T", "t", "#v", "+v", "8v", "-8v|", "08v"} {
			// Floats in hexadecimal are not supported.
			if verb != "x" || !slices.Contains([]string{".f", ".huge", ".tiny", ".mixed"}, value) {
				list = append(list, "{{printf \"%"+verb+"\" "+value+"}}")
			}
		}
	}
	operands := []string{`"text"`, ".s", "42", ".n", "2.5", ".f", "true", ".t", "nil", ".nothing", ".missing", ".list", ".map"}
	for _, function := range []string{"eq", "ne", "lt", "le", "gt", "ge", "and", "or"} {
		for i, left := range operands {
			right := operands[(i*5+len(function)+3)%len(operands)]
			list = append(list,
				fmt.Sprintf("{{%s %s %s}}", function, left, operands[i/2*2]),
				fmt.Sprintf("{{%s %s %s}}", function, left, right))
		}
	}
	floats := []string{"0.0", "1.0", "-1.5", "0.1", "123456.0", "1234567.0", "1e20", "1e21", "1e-4", "1e-5", "2.5", "3.5", "0.125", "1e100", "5e-324"}
	for _, number := range floats {
		for _, verb := range []string{"v", "g", "f", ".0f", ".1f", ".2f", ".3e", ".3g", "e", "E", "G", "+.1f", "9.2f", "-9.2f|", "09.2f", "#g", "#.3g", "# f", ".10f"} {
			list = append(list, "{{printf \"%"+verb+"\" "+number+"}}")
		}
	}
	for _, number := range []string{"0", "7", "-7", "255", "65", "128512", "-1", "9223372036854775807", "'a'"} {
		for _, verb := range []string{"d", "5d", "-5d|", "05d", "+d", "% d", "b", "o", "O", "#o", "#O", "x", "X", "#x", "#X", "c", "q", "U", "#U", ".4d", "8.4d", "08.4d", "+q", "s", "f", "t", "#b", ".0d", "08x", "#08x"} {
			list = append(list, "{{printf \"%"+verb+"\" "+number+"}}")
		}
	}
	for _, text := range []string{`""`, `"abc"`, `"héé"`, `"a\tb"`, "`raw \\n`", `"\u00ff\U0001F600"`} {
		for _, verb := range []string{"s", "5s", "-5s|", "05s", ".2s", "6.2s", "q", "+q", "#q", "x", "X", "# x", "#x", "% x", "8x", ".1x", "d", "v", "#v", "c"} {
			list = append(list, "{{printf \"%"+verb+"\" "+text+"}}")
		}
	}
	return list
}

func main() {
	decoded := map[string]any{}
	raw := map[string]json.RawMessage{}
	for name, text := range data {
		decoded[name] = decode(text)
		raw[name] = json.RawMessage(text)
	}
	var vectors []vector
	seen := map[string]bool{}
	for _, source := range templates() {
		if seen[source] {
			continue
		}
		seen[source] = true
		vectors = append(vectors, vector{source, "main", run(source, decoded["main"], "missingkey=error"), run(source, decoded["main"], "missingkey=default")})
	}
	for _, source := range []string{"", "{{.}}", "{{.a}}", "{{.a.b}}", "{{$}}", "{{range .}}x{{else}}y{{end}}", "{{if .}}x{{else}}y{{end}}"} {
		vectors = append(vectors, vector{source, "empty", run(source, decoded["empty"], "missingkey=error"), run(source, decoded["empty"], "missingkey=default")})
	}
	out := os.Stdout
	fmt.Fprint(out, "{\"data\": ")
	text, err := json.Marshal(raw)
	if err != nil {
		panic(err)
	}
	out.Write(text)
	fmt.Fprint(out, ",\n\"vectors\": [\n")
	for i, v := range vectors {
		var line bytes.Buffer
		encoder := json.NewEncoder(&line)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(v); err != nil {
			panic(err)
		}
		end := ","
		if i == len(vectors)-1 {
			end = ""
		}
		fmt.Fprintln(out, strings.TrimSpace(line.String())+end)
	}
	fmt.Fprintln(out, "]}")
	fmt.Fprintln(os.Stderr, strconv.Itoa(len(vectors))+" vectors")
}

var written = []string{
	// Text, delimiters, trim markers, comments.
	"plain text", "a{{/* c */}}b", "a {{- /* c */ -}} b", "a{{/* c */ }}b", "a{{ /* c */}}b", "{{/* open", "{{/* a */ x}}",
	"  {{- .s -}}  !", "  {{- .s}}  !", "  {{.s -}}  !", "\n\t {{- .s -}} \r\n\t!", "{{-.s}}", "{{.s-}}", "{{- 3 -}}", "{{-3}}", "{{3 -}} x",
	"{{.s}", "{{.s", "{{", "}}", "{ {.s} }", "{{{.s}}}", "{{}}", "{{ }}", "{{\n.s\n}}", "{{.s}}\r\n{{.n}}", "{{\"a\nb\"}}", "{{`a\nb`}}",
	"{{.s }}{{ .n}}", "{{- .s }} {{ .n -}}", "a {{- -}} b", "{{- }}", "{{ -}}", "x{{- /**/ -}}y", "{{\t.s\t}}",
	"a  {{- if .t}}  b  {{- end -}}  c", "{{if .t -}}\n  x\n{{- end}}", "{{/*a*/}}{{/*b*/}}", "{{ /*a*/ .s}}", "$Namespace$ {{.s}}",
	// Fields and chains.
	"{{.deep.a.b.c}}", "{{.deep.a.b.missing}}", "{{.deep.missing.b}}", "{{.missing.a.b}}", "{{.s.x}}", "{{.n.x}}", "{{.list.x}}",
	"{{.nothing.x}}", "{{.nothing.x.y}}", "{{(.deep).a.b.n}}", "{{(.missing).x}}", "{{(.nothing).x}}", "{{(index .deep.list 0).name}}",
	"{{$.s}}", "{{$.deep.a.b.c}}", "{{$}}", "{{.}}", "{{.x1}}{{._u}}", "{{.constructor}} {{.__proto__}} {{.toString}}", "{{. s}}", "{{.s.}}", "{{..s}}",
	"{{.1}}", "{{.s .n}}", "{{.s \"arg\"}}", "{{1 .s}}", "{{.missing \"arg\"}}", "{{.missing.x \"arg\"}}", "{{.s | .n}}", "{{(.s) 1}}", "{{$.s 1}}",
	"{{.deep.list}}", "{{.map.a}}{{.map.c}}", "{{.map.c.d}}", "{{.uni}}", "{{.braces}}", "{{print .braces}}", "{{.s.a.b.c}}", "{{.é}}", "{{.order.é}}",
	"{{nil}}", "{{nil.x}}", "{{true.x}}", "{{\"s\".x}}", "{{1.x}}", "{{1.5.x}}", "{{len.x}}", "{{print.x}}", "{{(print).x}}", "{{.missing | print}}",
	// Constants.
	"{{1}} {{-1}} {{+1}} {{0}} {{1.0}} {{1.5e3}} {{1e3}} {{.5}} {{5.}} {{-0.0}}", "{{0x1F}} {{0b101}} {{0o17}} {{017}} {{1_000}} {{0x_1f}}", "{{089}}", "{{1__0}}", "{{_1}}", "{{1_}}",
	"{{0x1p4}} {{0x1.8p1}} {{0x1e}} {{-0x1e}} {{+0x1e}}", "{{9223372036854775807}}", "{{9223372036854775808}}", "{{18446744073709551615}}", "{{18446744073709551616}}", "{{-9223372036854775808}}", "{{-9223372036854775809}}",
	"{{1e308}}", "{{1e309}}", "{{1_000.5}}", "{{0x}}", "{{0b2}}", "{{1a}}", "{{1.2.3}}", "{{--1}}", "{{+}}", "{{- 1}}", "{{1e}}", "{{0.1e-6}}", "{{00}}", "{{0_1}}",
	"{{'a'}} {{'\\n'}} {{'\\''}} {{'é'}} {{'\\x41'}} {{'\\101'}} {{'\\u00e9'}} {{'\\U0001F600'}}", "{{''}}", "{{'ab'}}", "{{'\\\"'}}", "{{'a}}", "{{'\\xff'}}", "{{'\\400'}}",
	`{{"a\tb\n\"q\"\\"}}`, `{{"\x41\101é\U0001F600\a\b\f\v\r"}}`, `{{"\'"}}`, `{{"\z"}}`, `{{"\ud800"}}`, `{{"\U00110000"}}`, `{{"unclosed}}`, "{{`raw \\n \"x\"`}}", "{{`unclosed}}", `{{"\xe4\xb8\x96"}}`, `{{"\x4"}}`, `{{"\777"}}`,
	"{{true}} {{false}} {{True}}", "{{print nil}}", "{{\"}}\"}}", "{{`}}`}}", "{{\"{{\"}}",
	// Variables.
	"{{$x := 1}}{{$x}}", "{{$x := .s}}{{$y := $x}}{{$y}}{{$x}}", "{{$x}}", "{{$x = 1}}", "{{$x := 1}}{{$x = 2}}{{$x}}", "{{$x:=1}}{{$x}}", "{{$x=1}}", "{{$x :=1}}{{$x}}", "{{$x := 1}}{{$x =2}}{{$x}}",
	"{{$x := 1}}{{if .t}}{{$x = 2}}{{end}}{{$x}}", "{{$x := 1}}{{if .t}}{{$x := 2}}{{$x}}{{end}}{{$x}}", "{{if .t}}{{$x := 2}}{{end}}{{$x}}", "{{$x := .missing}}{{$x}}", "{{$x := .nothing}}{{$x.y}}", "{{$x := .deep}}{{$x.a.b.c}}{{$x.a.zz}}",
	"{{$x, $y := .list}}", "{{$x := }}", "{{:= 1}}", "{{$x := 1 | print}}{{$x}}", "{{$x := $x}}", "{{if $x := .s}}{{$x}}{{else}}{{$x}}{{end}}", "{{if .no}}{{$x := 1}}{{else}}{{$x}}{{end}}", "{{with $x := .deep}}{{$x.a.b.c}}{{.a.b.n}}{{end}}", "{{$ := 1}}{{$}}",
	"{{$x := 1}}{{$x := \"two\"}}{{$x}}", "{{range .list}}{{$x := .}}{{end}}{{$x}}", "{{$s := 0}}{{range .list}}{{$s = .}}{{end}}{{$s}}", "{{($x := 1)}}{{$x}}", "{{print ($x := 2) $x}}", "{{and .no ($x := 1)}}{{$x}}", "{{$1 := 5}}{{$1}}", "{{$é := 5}}{{$é}}", "{{$x.y}}", "{{$x := .s}}{{$x.y}}", "{{print $}}", "{{$x := nil}}", "{{$a := 1}}{{$b := 2}}{{$a = $b}}{{$a}}",
	// Pipelines and parentheses.
	"{{.s | print}}", "{{.s | printf \"%s-%d\" .s 2}}", "{{.s | printf \"%s\"}}", "{{1 | 2}}", "{{.s | 2}}", "{{.s | \"x\"}}", "{{.s | .}}", "{{.s | nil}}", "{{.s | true}}", "{{.s |}}", "{{| .s}}", "{{.s || .n}}", "{{.list | len | printf \"%03d\"}}",
	"{{(.s)}}", "{{((.s))}}", "{{(.s}}", "{{.s)}}", "{{()}}", "{{(print .s) | len}}", "{{print (print 1 2) (print 3)}}", "{{len (print .n .n)}}", "{{printf (print \"%d\") 5}}", "{{print(.s)}}", "{{print (.s).x}}", "{{(.s | print | print)}}", "{{not (and .t .no)}}", "{{(printf \"%v\" .map) | len}}",
	"{{print .s,.n}}", "{{print .s; .n}}", "{{.s + .n}}", "{{.s == .n}}", "{{!.t}}", "{{.list[0]}}", "{{foo}}", "{{foo .s}}", "{{.s | foo}}", "{{print . | len}}", "{{len}}", "{{print}}", "{{println}}", "{{printf}}", "{{print print}}", "{{print len}}", "{{.t | not | not}}", "{{.missing | printf \"%v\"}}", "{{.nothing | printf \"%v %d\" 1}}",
	// if
	"{{if .t}}a{{end}}", "{{if .no}}a{{end}}", "{{if .no}}a{{else}}b{{end}}", "{{if .no}}a{{else if .t}}b{{else}}c{{end}}", "{{if .no}}a{{else if .no}}b{{else}}c{{end}}", "{{if .no}}a{{else if .no}}b{{else if .n}}c{{end}}", "{{if .missing}}a{{else}}b{{end}}", "{{if .deep.missing}}a{{else}}b{{end}}",
	"{{if}}a{{end}}", "{{if .t}}a", "{{if .t}}a{{else}}", "{{end}}", "{{else}}", "{{else if .t}}", "{{if .t}}a{{else}}b{{else}}c{{end}}", "{{if .t}}a{{end}}{{end}}", "{{if .t}}{{if .no}}x{{else}}y{{end}}{{end}}", "{{if .no}}{{else}}{{end}}", "{{if .t else}}x{{end}}", "{{if .t}}a{{else .t}}b{{end}}", "{{if .t}}a{{end .t}}", "{{if .no}}a{{else with .s}}{{.}}{{end}}", "{{if nil}}x{{end}}", "{{if (eq .n 42)}}x{{end}}", "{{if and .t (or .no .s)}}x{{end}}", "{{if .t}}{{else if .x.y}}{{end}}", "{{if 0}}a{{else}}b{{end}}{{if 0.0}}a{{else}}b{{end}}{{if \"\"}}a{{else}}b{{end}}{{if 'a'}}a{{else}}b{{end}}", "{{if not .missing}}x{{end}}", "{{if .nothing}}a{{else}}b{{end}}", "{{ifx}}", "{{if .t}}{{.missing}}{{end}}", "{{if .no}}{{.missing}}{{end}}", "{{if or .t .missing}}ok{{end}}", "{{if and .no .missing}}x{{else}}ok{{end}}",
	// with
	"{{with .deep}}{{.a.b.c}}{{end}}", "{{with .deep.a}}{{with .b}}{{.c}}{{$.s}}{{end}}{{end}}", "{{with .missing}}a{{else}}b{{end}}", "{{with .no}}a{{else with .s}}[{{.}}]{{else}}c{{end}}", "{{with .no}}a{{else with .empty}}b{{else}}{{.s}}{{end}}", "{{with .no}}a{{else if .t}}b{{end}}", "{{with .s}}{{.x}}{{end}}", "{{with $x := 5}}{{$x}}{{.}}{{end}}", "{{with .none}}a{{else}}{{.n}}{{end}}", "{{with .deep}}{{.s}}{{end}}", "{{with 1 2}}{{end}}", "{{with}}{{end}}", "{{with .nothing}}a{{else}}b{{end}}",
	// range
	"{{range .list}}{{.}},{{end}}", "{{range $v := .list}}{{$v}},{{end}}", "{{range $i, $v := .list}}{{$i}}={{$v}},{{end}}", "{{range $k, $v := .map}}{{$k}}={{$v}},{{end}}", "{{range .map}}{{.}},{{end}}", "{{range $v := .map}}{{$v}},{{end}}", "{{range $k, $v := .order}}{{$k}}{{$v}} {{end}}", "{{range .none}}a{{else}}b{{end}}", "{{range .nomap}}a{{else}}b{{end}}", "{{range .nothing}}a{{else}}b{{end}}", "{{range .missing}}a{{else}}b{{end}}", "{{range .s}}a{{end}}", "{{range .n}}.{{end}}", "{{range .zero}}a{{else}}z{{end}}", "{{range .neg}}a{{else}}z{{end}}", "{{range 3}}{{.}}{{end}}", "{{range $i := 3}}{{$i}}{{end}}", "{{range $i, $v := 3}}{{$i}}{{$v}}{{end}}", "{{range .f}}a{{end}}", "{{range .t}}a{{end}}", "{{range 'b'}}{{end}}done", "{{range \"abc\"}}x{{end}}",
	"{{range .deep.list}}{{.name}}:{{.port}} {{end}}", "{{range .envs}}{{.name}}={{.value}} {{end}}", "{{range .mixed}}[{{.}}]{{end}}", "{{range .mixed}}{{if .}}y{{else}}n{{end}}{{end}}", "{{range $.list}}{{$.n}}{{end}}", "{{range .list}}{{range $.words}}{{.}}{{end}};{{end}}", "{{range $i, $x := .list}}{{range $j, $y := $.words}}{{$i}}{{$j}}{{$x}}{{$y}} {{end}}{{end}}", "{{range .list}}{{if eq . 2}}{{continue}}{{end}}{{.}}{{end}}", "{{range .list}}{{if eq . 2}}{{break}}{{end}}{{.}}{{end}}", "{{range .list}}{{.}}{{break}}{{end}}!", "{{break}}", "{{continue}}", "{{range .list}}{{break 1}}{{end}}", "{{range .none}}{{else}}{{break}}{{end}}", "{{range .list}}[{{range $.none}}{{else}}{{break}}{{end}}]{{end}}", "{{range .list}}[{{range $.none}}{{else}}{{continue}}{{end}}]{{end}}", "{{range .list}}{{with .}}{{break}}{{end}}x{{end}}", "{{range .list}}{{$x := .}}{{if eq $x 2}}{{continue}}{{end}}{{$x}}{{end}}",
	"{{$i := 0}}{{$v := 0}}{{range $i, $v = .list}}{{end}}{{$i}}{{$v}}", "{{$v := 0}}{{range $v = .list}}{{end}}{{$v}}", "{{range $i, $v = .list}}{{end}}", "{{range $i, $v, $w := .list}}{{end}}", "{{range $i, 1 := .list}}{{end}}", "{{range $i := .list}}{{end}}{{$i}}", "{{range $i, $v}}{{end}}", "{{range}}{{end}}", "{{range .list}}", "{{range .list}}{{else}}", "{{range .list}}{{else range .words}}{{end}}", "{{range .list .words}}{{end}}", "{{range .mixed}}{{.k}}{{end}}", "{{range $k, $v := .deep.a}}{{$k}}{{$v.c}}{{end}}", "{{range $i, $v := .none}}{{else}}{{$i}}{{$v}}{{end}}", "{{range .words}}{{.}}{{else}}x{{end}}", "{{range (index .deep.list 0)}}{{.}} {{end}}", "{{range $i, $e := .words}}{{if $i}}, {{end}}{{$e}}{{end}}", "{{range index .words 0}}{{end}}", "{{range (slice .words 1)}}{{.}}{{end}}", "{{range .list}}{{.missing}}{{end}}", "{{range .envs}}{{.missing.x}}{{end}}", "{{range $x := .list}}{{$x = 9}}{{$x}}{{end}}", "{{range .list}}{{$}}{{break}}{{end}}",
	// Comparison.
	"{{eq 1 1}} {{eq 1 2}} {{eq 1 2 1}} {{eq 1 2 3}}", "{{eq 1 1.0}}", "{{eq .n 42}} {{eq .f 2.5}} {{eq .s \"text\"}} {{eq .t true}}", "{{eq .n \"42\"}}", "{{eq .nothing nil}} {{eq nil nil}} {{eq .s nil}} {{eq nil .s}} {{eq .missing nil}}", "{{eq .list .list}}", "{{eq .map .map}}", "{{eq .list .map}}", "{{eq .list nil}} {{eq .map nil}}", "{{eq .list 1}}", "{{eq 1}}", "{{eq}}", "{{ne 1}}", "{{ne 1 2 3}}", "{{ne 1 2}} {{ne .s \"x\"}} {{ne .nothing nil}}", "{{lt 1 2}} {{le 2 2}} {{gt 3 2}} {{ge 2 3}}", "{{lt 1.5 2.5}} {{lt 1 2.5}}", "{{lt \"a\" \"b\"}} {{lt \"Z\" \"a\"}} {{gt \"é\" \"z\"}} {{lt \"\uffee\" \"😀\"}}", "{{lt true false}}", "{{lt .list .list}}", "{{lt nil 1}}", "{{le .missing 1}}", "{{gt .n .zero}}", "{{ge .n}}", "{{eq 1 \"a\" 1}}", "{{eq \"a\" \"a\" 1}}", "{{eq 'a' 97}}", "{{eq (index .s 0) 116}} {{lt (index .s 0) 200}} {{lt 1 (index .s 0)}} {{eq 116 (index .s 0)}}", "{{eq -1 (index .s 0)}}", "{{.n | eq 42}}", "{{.n | lt 1}}", "{{eq true (not false)}}", "{{gt .list 1}}", "{{eq .n .missing}}", "{{ne .missing .nothing}}",
	// and, or, not
	"{{and}}", "{{or}}", "{{not}}", "{{and 1}} {{or 0}}", "{{and 1 0 2}} {{and 1 2 3}} {{or 0 \"\" 3 4}} {{or 0 \"\"}}", "{{and .missing 1}} {{or .missing 1}}", "{{and .t .missing}} {{or .no .missing}}", "{{.n | and 1}} {{.n | or 0}} {{.n | and 0}} {{.n | or 1}}", "{{not 1 2}}", "{{not nil}} {{and nil 1}} {{or nil 1}}", "{{and .no (index .list 99)}}", "{{or .t (index .list 99)}}", "{{or .no (index .list 99)}}", "{{.missing | and}} {{.n | or}}", "{{and .list .map}}", "{{not .none}} {{not .list}} {{not 0.0}}", "{{and .t nil}}", "{{and .nothing .t | print}}",
	// index, slice, len
	"{{index .list 0}} {{index .words 2}}", "{{index .list 3}}", "{{index .list -1}}", "{{index .list 9}}", "{{index .list \"0\"}}", "{{index .list 1.0}}", "{{index .list nil}}", "{{index .list}}", "{{index .map \"a\"}} {{index .map \"zz\"}} {{index .map \"c\"}}", "{{index .map 1}}", "{{index .map nil}}", "{{index .map .nothing}}", "{{index .deep \"a\" \"b\" \"c\"}}", "{{index .deep \"list\" 1 \"name\"}}", "{{index .deep \"zz\" \"b\"}}", "{{index .s 0}} {{printf \"%c\" (index .s 1)}} {{printf \"%T %v %#v %d\" (index .s 1) (index .s 1) (index .s 1) (index .s 1)}}", "{{index .uni 1}} {{index .uni 2}}", "{{index .s 4}}", "{{index .n 0}}", "{{index .nothing 0}}", "{{index .missing 0}}", "{{index nil}}", "{{index}}", "{{index . \"s\"}} {{index $ \"deep\" \"a\" \"b\" \"n\"}}", "{{index .mixed 5 1}} {{index .mixed 6 \"k\"}}", "{{index .mixed 2}}", "{{(index .map \"zz\").x}}", "{{index .mixed 2 0}}", "{{0 | index .list}}", "{{index .list (len .none)}}", "{{index .list (index .s 0)}}", "{{index .constructor \"x\"}}", "{{index . \"__proto__\"}} {{index . \"hasOwnProperty\"}}",
	"{{slice .list 1}} {{slice .list 1 2}} {{slice .list}} {{slice .list 0 0}} {{slice .list 3}}", "{{slice .list 1 2 3}} {{slice .list 0 2 2}}", "{{slice .list 2 1}}", "{{slice .list 0 3 2}}", "{{slice .list 4}}", "{{slice .list 0 4}}", "{{slice .list 0 1 2 3}}", "{{slice .list -1}}", "{{slice .list \"a\"}}", "{{slice .s 1 3}} {{slice .s 1}} {{slice .s}} {{slice .s 4}}", "{{slice .s 5}}", "{{slice .s 0 1 2}}", "{{slice .uni 0 3}}", "{{slice .uni 0 2}}", "{{slice .n 1}}", "{{slice .map 1}}", "{{slice .nothing}}", "{{slice}}", "{{slice .missing 1}}", "{{slice .list nil}}", "{{len (slice .uni 8)}}",
	"{{len .s}} {{len .uni}} {{len .emoji}} {{len .list}} {{len .map}} {{len .empty}} {{len .none}}", "{{len .n}}", "{{len nil}}", "{{len .missing}}", "{{len 1 2}}", "{{len .s | print}}", "{{.s | len}}", "{{len (index .s 0)}}",
	// print, println, printf
	"{{print 1 2}} {{print \"a\" \"b\"}} {{print 1 \"a\" 2}} {{print 1 2 \"a\" 3 4}}", "{{print .list .map}}", "{{println 1 \"a\" nil}}", "{{print nil nil}} {{print nil 1}}", "{{print true 1.5 'a'}}", "{{printf 1}}", "{{printf .n}}", "{{printf .missing}}", "{{printf nil}}", "{{printf .s}}", "{{printf \"\"}}", "{{printf \"%d\"}}", "{{printf \"%d %d\" 1}}", "{{printf \"%d\" 1 2 \"x\" nil}}", "{{printf \"x\" 1}}", "{{printf \"%\"}}", "{{printf \"%%\"}} {{printf \"100%% %d\" 1}}", "{{printf \"%!\" 1}}", "{{printf \"%z\" 1}}", "{{printf \"%z %5z\" .s nil}}", "{{printf \"%d\" nil}}", "{{printf \"%s\" nil}}", "{{printf \"%s %v %d\" .list .list .words}}", "{{printf \"%d\" .map}}", "{{printf \"%q\" .mixed}}", "{{printf \"%5d|%-5d|%05d\" 1 2 3}}", "{{printf \"%*d|%-*d|%0*d\" 5 1 5 2 5 3}}", "{{printf \"%*d\" -5 1}}|", "{{printf \"%*d\" \"x\" 1}}", "{{printf \"%.*f\" 2 3.14159}}", "{{printf \"%.*f\" -2 3.14159}}", "{{printf \"%.*d\" \"x\" 1}}", "{{printf \"%[2]d %[1]d\" 1 2}}", "{{printf \"%[3]d\" 1 2}}", "{{printf \"%[1]d %d\" 1 2}}", "{{printf \"%[2]*[1]d\" 7 5}}", "{{printf \"%[x]d\" 1}}", "{{printf \"%[1\" 1}}", "{{printf \"%[]d\" 1}}", "{{printf \"%[0]d\" 1}}", "{{printf \"%[1]5d\" 1}}", "{{printf \"%[5]\" 1}}", "{{printf \"%.[2]*[1]f\" 2.5 3}}", "{{printf \"%100000000d\" 1}}", "{{printf \"%.3d\" 5}} {{printf \"%.s|\" \"abc\"}} {{printf \"%5.1f|\" 2.25}}", "{{printf \"%v %v\" .t .no}} {{printf \"%t\" .t}} {{printf \"%5t|%-6t|\" .t .no}}", "{{printf \"%t\" 1}}", "{{printf \"%T %T %T %T %T %T\" 1 1.5 \"s\" true .list .map}} {{printf \"%T\" nil}} {{printf \"%20T|\" 1}}", "{{printf \"%p\" 1}}", "{{printf \"%w\" 1}} {{printf \"%w\" .map}} {{printf \"%w\" nil}}", "{{printf \"%#v\" .map}} {{printf \"%#v\" .mixed}} {{printf \"%#v\" nil}} {{printf \"%#v\" .uni}}", "{{printf \"%+v\" .map}} {{printf \"%+d\" .list}} {{printf \"%6v\" .words}} {{printf \"%x\" .words}} {{printf \"%x\" .list}}", "{{printf \"%6.2f\" .list}}", "{{printf \"% x\" \"abc\"}} {{printf \"%#x\" \"abc\"}} {{printf \"%# X\" \"abc\"}}", "{{printf \"%c%c%c\" 65 233 128512}}", "{{printf \"%c\" -1}} {{printf \"%c\" 55296}}", "{{printf \"%q %q %+q\" 65 128512 233}}", "{{printf \"%U %#U\" 233 128512}}", "{{printf \"%s\" 1}} {{printf \"%d\" \"x\"}} {{printf \"%f\" 1}} {{printf \"%d\" 1.5}}", "{{printf \"%s-%s\" .s .uni}}", "{{printf \"%6s|%-6s|%.1s\" \"é\" \"é\" \"éé\"}}", "{{printf \"%é\" 1}}", "{{printf \"%d%%%s\" 1 \"x\"}}", "{{printf \"%-05d|\" 3}} {{printf \"%+05d\" 3}} {{printf \"% 05d\" 3}} {{printf \"%+ d\" 3}}", "{{printf \"%v\" .deep}}", "{{printf \"%s\" .deep}}", "{{printf \"%q\" .ctl}} {{printf \"%+q\" .uni}} {{printf \"%#q\" .quote}}", "{{printf \"%08.3f|%-8.3f|%+.2e\" 3.14159 3.14159 31415.9}}", "{{printf \"%6d|%6s|%6v|%6t\" nil nil nil nil}}", "{{printf `%d %s` 1 \"a\"}}", "{{printf \"%s\" (index .s 0)}}", "{{printf \"%.200000010d\" 1}}", "{{printf \"%3c|%-3c|%03c\" 65 65 65}}", "{{printf \"%+.3g %#.3g %g\" 1e6 1e6 1e6}}", "{{printf \"%v\" .order}}",
	// Odds and ends.
	"{{.s}}{{.missing}}{{.n}}", "image: {{.s}}:{{.n}}\n{{range .deep.list}}- name: {{.name}}\n  port: {{.port}}\n{{end}}", "{{if eq .s \"text\"}}{{.n}}{{else}}{{.missing}}{{end}}", "{{define \"x\"}}{{end", "{{template}}", "{{define}}", "{{block}}", "{{block \"x\"}}", "{{template x}}", "{{define \"x\"}}a", "{{if .t}}{{define \"x\"}}{{end}}{{end}}", "{{.s}} {{/* {{.n}} */}} {{.n}}", "{{`{{.s}}`}}", "{{\"{{.s}}\"}}", "{{ \"a\" | printf \"%s%s\" \"b\" }}", "{{.map.a.b}}", "{{1 | print 2 | print 3}}", "{{with .words}}{{index . 1}}{{end}}", "{{(index .words 0) | printf \"%q\"}}", "{{ $l := len .words }}{{ range $i, $w := .words }}{{ $w }}{{ if lt $i (print $l | len) }},{{ end }}{{ end }}", "{{@}}", "{{#}}", "{{.s\u00a0}}", "{{é}}", "{{\"a\" \"b\"}}", "{{.a.b.c.d}}", "{{$x := 1}}{{$y := $x}}{{$x = 3}}{{$y}}{{$x}}",
}
