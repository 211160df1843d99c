import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  newBudget,
  parseTemplate,
  renderTemplate,
  TemplateError,
  valueFrom
} from '../../src/lib/template/template.ts'
import { rounds } from '../support/rounds.ts'

const zone = 'Europe/Stockholm'
const given = {
  installation: { ID: 12n, Name: 'Summer house', ClientID: 1012n },
  organization: {
    ID: 3n,
    Name: 'Home',
    Address: { Address: 'Storgatan 1', City: 'Lund', Country: 'SE', ZIP: '222 22' },
    Email: 'a@example.org',
    Phone: '+46',
    Notes: ''
  },
  payload: {
    value: 24.5,
    whole: 7,
    big: 1_500_000,
    unit: '°C',
    on: true,
    nothing: null,
    empty: '',
    list: ['a', 'b', 'c'],
    none: [],
    mixed: [1, 'x', null, { k: 2 }],
    map: { b: 2, a: 1 },
    html: `<a href="x">'&'</a>`,
    timestamp: 1_700_000_000,
    exact: 1_700_000_000.25
  }
}
const render = (source: string, data: unknown = given, budget = newBudget()) =>
  renderTemplate(parseTemplate(source, budget), valueFrom(data), { zone, budget })

/** Templates and their expected output. */
function table(cases: readonly (readonly [source: string, want: string])[]): void {
  for (const [source, want] of cases) assert.equal(render(source), want, source)
}

/** Templates and a part of their error. */
function faults(cases: readonly (readonly [source: string, fault: RegExp])[]): void {
  for (const [source, fault] of cases) {
    assert.throws(
      () => render(source),
      (error) => error instanceof TemplateError && fault.test(error.message),
      source
    )
  }
}

describe('a template', () => {
  test('prints the given values', () => {
    table([
      ['', ''],
      ['no action } } { {', 'no action } } { {'],
      [
        'Your {{.installation.Name}} reported {{.payload.value}}{{.payload.unit}}.',
        'Your Summer house reported 24.5°C.'
      ],
      ['{{.installation.ID}} {{.installation.ClientID}}', '12 1012'],
      ['{{.organization.Address.City}}, {{ .organization.Address.ZIP }}', 'Lund, 222 22'],
      ['{{$.installation.Name}}', 'Summer house'],
      ['{{.payload.on}} {{.payload.whole}} {{.payload.big}}', 'true 7 1500000'],
      ['{{.payload.list}} {{.payload.map}}', '[a b c] map[a:1 b:2]'],
      ['{{.payload.mixed}}', '[1 x <nil> map[k:2]]'],
      ['{{"a"}}{{`b\\n`}}{{3}}{{-4}}{{1.50}}{{true}}{{\'a\'}}', 'ab\\n3-41.5true97'],
      ['{{0x1F}} {{0b11}} {{017}} {{0o17}} {{1_000}} {{1e3}} {{.5}}', '31 3 15 15 1000 1000 0.5'],
      ['{{"\\u00e5\\xc3\\xa5\\303\\245\\t\\"\\U0001F600"}}', 'ååå\t"😀'],
      ['{{.}}', render('{{$}}')]
    ])
  })

  test('prints <no value> for missing values', () => {
    table([
      ['{{.payload.missing}}', '<no value>'],
      ['{{.payload.missing.deeper.still}}', '<no value>'],
      ['{{.payload.nothing}}', '<no value>'],
      ['{{.payload.nothing.deeper}}', '<no value>'],
      ['{{.payload.value.deeper}}', '<no value>'],
      ['{{.installation.Missing}}{{.nobody}}', '<no value><no value>'],
      ['{{print .payload.missing}} {{printf "%v" .payload.nothing}}', '<nil> <nil>'],
      ['[{{.payload.empty}}]', '[]']
    ])
  })

  test('can use only the given values', () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length']
    for (const name of names) {
      table([
        [`{{.${name}}}{{.payload.${name}}}`, '<no value><no value>'],
        [`{{.payload.list.${name}}}{{.payload.unit.${name}}}`, '<no value><no value>'],
        [`{{index .payload "${name}"}}`, '<no value>'],
        [`{{$x := .payload}}{{$x.${name}.${name}}}`, '<no value>']
      ])
    }
    const data = JSON.parse('{"payload":{"__proto__":{"x":"mine"},"constructor":"own"}}')
    assert.equal(
      render('{{.payload.__proto__.x}} {{.payload.constructor}} {{.payload}}', data),
      'mine own map[__proto__:map[x:mine] constructor:own]'
    )
    faults([['{{(toTime 1).constructor}}', /a time has no constructor/]])
  })

  test('has conditions', () => {
    table([
      ['{{if .payload.on}}yes{{else}}no{{end}}', 'yes'],
      ['{{if .payload.missing}}yes{{else}}no{{end}}', 'no'],
      ['{{if .payload.empty}}yes{{end}}', ''],
      ['{{if .payload.none}}yes{{else if .payload.list}}list{{else}}no{{end}}', 'list'],
      ['{{if 0}}a{{else if 0.0}}b{{else if ""}}c{{else if false}}d{{else}}e{{end}}', 'e'],
      ['{{if gt .payload.value 20.0}}hot{{end}}', 'hot'],
      ['{{if and .payload.on (lt .payload.value 30)}}warm{{end}}', 'warm'],
      ['{{if not .payload.on}}off{{else}}on{{end}}', 'on'],
      ['{{if $x := .payload.value}}{{$x}}{{end}}', '24.5'],
      ['{{if .payload.map}}{{if .payload.none}}1{{else}}2{{end}}3{{end}}', '23']
    ])
  })

  test('has loops', () => {
    table([
      ['{{range .payload.list}}{{.}},{{end}}', 'a,b,c,'],
      ['{{range .payload.none}}x{{else}}none{{end}}', 'none'],
      ['{{range .payload.missing}}x{{else}}none{{end}}', 'none'],
      ['{{range $i, $e := .payload.list}}{{$i}}{{$e}} {{end}}', '0a 1b 2c '],
      ['{{range $e := .payload.list}}{{$e}}{{$.payload.whole}}{{end}}', 'a7b7c7'],
      ['{{range $k, $v := .payload.map}}{{$k}}={{$v}};{{end}}', 'a=1;b=2;'],
      ['{{range 3}}{{.}}{{end}}', '012'],
      ['{{range .payload.list}}{{if eq . "b"}}{{continue}}{{end}}{{.}}{{end}}', 'ac'],
      ['{{range .payload.list}}{{if eq . "b"}}{{break}}{{end}}{{.}}{{end}}', 'a'],
      ['{{range .payload.list}}{{range $.payload.list}}{{break}}{{end}}{{.}}{{end}}', 'abc']
    ])
  })

  test('can change the dot and has variables', () => {
    table([
      ['{{with .organization.Address}}{{.City}}{{end}}', 'Lund'],
      ['{{with .payload.missing}}x{{else}}no{{end}}', 'no'],
      ['{{with .payload.missing}}x{{else with .payload.unit}}{{.}}{{end}}', '°C'],
      ['{{with $x := .payload.unit}}{{$x}}{{.}}{{end}}', '°C°C'],
      ['{{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}}', '2'],
      ['{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}', '21'],
      ['{{$n := 0}}{{range .payload.list}}{{$n = .}}{{end}}{{$n}}', 'c'],
      ['{{$a := .organization}}{{$a.Address.City}}', 'Lund']
    ])
  })

  test('trims white space and ignores comments', () => {
    table([
      ['a  {{- "b" -}}  c', 'abc'],
      ['a \n\t{{- /* no */ -}}\n b', 'ab'],
      ['a {{/* no */}} b', 'a  b'],
      ['{{/* }} */}}x', 'x'],
      ['{{- 3}} {{3 -}}', '3 3'],
      ['{{-3}}', '-3'],
      ['{{if true -}}  a  {{- end}}', 'a'],
      ['{{ "a"\n|\nprint }}', 'a'],
      ['a\r\n{{- /* c */}}b', 'ab']
    ])
  })

  test('has functions', () => {
    table([
      ['{{eq .payload.whole 7}} {{eq .payload.whole 7.0}} {{eq 1 2 3 1}}', 'true true true'],
      [
        '{{eq .payload.unit "°C"}} {{eq .payload.unit 7}} {{eq .payload.missing nil}}',
        'true false true'
      ],
      ['{{ne 1 2}} {{ne "a" "a"}}', 'true false'],
      ['{{lt 1 2}} {{le 2 2}} {{gt "b" "a"}} {{ge 1.5 2}}', 'true true true false'],
      ['{{and 1 0 2}} {{and 1 2}} {{or 0 "" "x"}} {{or "" 0}}', '0 2 x 0'],
      ['{{and false (index .payload.list 9)}} {{or 1 (len 5)}}', 'false 1'],
      ['{{len .payload.list}} {{len .payload.unit}} {{len .payload.map}}', '3 3 2'],
      ['{{index .payload.list 1}} {{index .payload "map" "b"}}', 'b 2'],
      ['{{index .payload "missing"}} {{index .payload.missing "x"}}', '<no value> <no value>'],
      ['{{print 1 2 "a" 3 4}} {{print "a" "b"}}', '1 2a3 4 ab'],
      ['{{println "a" 1}}', 'a 1\n'],
      ['{{html .payload.html}}', '&lt;a href=&#34;x&#34;&gt;&#39;&amp;&#39;&lt;/a&gt;'],
      ['{{js .payload.html}}', `\\u003Ca href\\u003D\\"x\\"\\u003E\\'\\u0026\\'\\u003C/a\\u003E`],
      ['{{urlquery "a b&c=å(1)"}}', 'a+b%26c%3D%C3%A5%281%29'],
      ['{{.payload.value | printf "%.2f"}}', '24.50'],
      ['{{"x" | print "a" | printf "%s!"}}', 'ax!'],
      ['{{(print "a" "b") | len}} {{(index .payload.mixed 3).k}}', '2 2'],
      ['{{printf "%s" (print 1 (len "ab"))}}', '1 2'],
      ['{{not 0}} {{not .payload.list}}', 'true false']
    ])
  })

  test('formats values with printf', () => {
    table([
      [
        '{{printf "%d %5d|%-5d|%05d %+d %x %X %o %b %c %q" 7 7 7 7 7 255 255 8 5 65 65}}',
        "7     7|7    |00007 +7 ff FF 10 101 A 'A'"
      ],
      [
        '{{printf "%f %.1f %6.2f|%-8.3f|%08.3f %e %g %G" 1.5 1.25 1.5 1.5 -1.5 1500.0 1e6 1e-7}}',
        '1.500000 1.2   1.50|1.500   |-001.500 1.500000e+03 1e+06 1E-07'
      ],
      ['{{printf "%.3g %.0f %v %t" 1234.5 2.5 1e21 true}}', '1.23e+03 2 1e+21 true'],
      [
        '{{printf "%s|%5s|%-5s|%.2s|%q|%x" "ab" "ab" "ab" "abc" "a\\"" "ab"}}',
        'ab|   ab|ab   |ab|"a\\""|6162'
      ],
      [
        '{{printf "%.1s|%.2s|%.0s|%3s|%2s" "😀😀" "a😀b" "😀" "😀" "😀😀😀"}}',
        '😀|a😀||  😀|😀😀😀'
      ],
      [
        '{{printf "%v %v %v %s" .payload.list .payload.map nil .payload.list}}',
        '[a b c] map[a:1 b:2] <nil> [a b c]'
      ],
      [
        '{{printf "%.0f %.0f %.0f %.1f %.2f %.1f" 0.5 1.5 -2.5 0.25 1.005 0.35}}',
        '0 2 -2 0.2 1.00 0.3'
      ],
      ['{{printf "%d%%" 5}}', '5%'],
      ['{{printf "%d" .payload.value}}', '%!d(float64=24.5)'],
      [
        '{{printf "%s" 5}} {{printf "%d" "x"}} {{printf "%t" 1}}',
        '%!s(int=5) %!d(string=x) %!t(int=1)'
      ],
      [
        '{{printf "%d"}} {{printf "x" 1 "a"}} {{printf "%"}}',
        '%!d(MISSING) x%!(EXTRA int=1, string=a) %!(NOVERB)'
      ],
      ['{{printf "%z %s" 1 nil}}', '%!z(int=1) %!s(<nil>)'],
      ['{{printf "%T %T %T" 1 1.0 .payload.map}}', 'int float64 map[string]interface {}'],
      ['{{printf "%U" 8364}}', 'U+20AC'],
      [
        '{{1e-5}} {{0.0001}} {{123456789.0}} {{1e20}}',
        '1e-05 0.0001 123456789 100000000000000000000'
      ]
    ])
  })

  test('prints times in the time zone of the installation', () => {
    table([
      [
        '{{with toTime .payload.timestamp}}{{.Format "2006-01-02 15:04:05"}}{{end}}',
        '2023-11-14 23:13:20'
      ],
      [
        '{{(toTime .payload.timestamp).Format "Mon 2 Jan 06, 3:04PM -07:00"}}',
        'Tue 14 Nov 23, 11:13PM +01:00'
      ],
      [
        '{{$t := toTime .payload.timestamp}}{{$t.Format "Monday January _2 pm Z0700 MST"}}',
        'Tuesday November 14 pm +0100 +01'
      ],
      ['{{toTime .payload.timestamp}}', '2023-11-14 23:13:20 +0100 +01'],
      ['{{toTime .payload.exact}}', '2023-11-14 23:13:20.25 +0100 +01'],
      ['{{(toTime .payload.exact).Format "05.000 05.00 05.999 002"}}', '20.250 20.25 20.25 318'],
      [
        '{{with toTime "1700000000"}}{{.Unix}} {{.Year}} {{.Month}} {{.Day}} {{.Hour}}{{end}}',
        '1700000000 2023 November 14 23'
      ],
      ['{{.payload.timestamp | toTime | printf "%v"}}', '2023-11-14 23:13:20 +0100 +01'],
      ['{{"15:04" | (toTime 0).Format}}', '01:00'],
      ['{{with toTime .payload.missing}}x{{else}}never{{end}}', 'never'],
      ['{{eq (toTime 1) (toTime 2) (toTime "1")}} {{ne (toTime 1) (toTime 1.001)}}', 'true true'],
      ['{{eq (toTime 1) (toTime 1.001)}} {{eq (toTime 1) 1}}', 'false false'],
      ['{{(toTime 0).Format "Januaryish Janet 1"}}', 'Januaryish Janet 1']
    ])
    const utc = { zone: 'UTC', budget: newBudget() }
    const shown = renderTemplate(parseTemplate('{{toTime 0}}', utc.budget), null, utc)
    assert.equal(shown, '1970-01-01 00:00:00 +0000 UTC')
    const z = renderTemplate(
      parseTemplate('{{(toTime 0).Format "2006-01-02T15:04:05Z07:00"}}', utc.budget),
      null,
      utc
    )
    assert.equal(z, '1970-01-01T00:00:00Z')
  })
})

describe('a template that is wrong', () => {
  test('is refused when it is parsed, with its line', () => {
    faults([
      ['a\nb {{', /^line 2: an action has no }}/],
      ['{{}}', /^line 1: unexpected "}}" in an action/],
      ['{{if}}{{end}}', /unexpected "}}" in if/],
      ['{{if true}}', /{{if}} has no {{end}}/],
      ['{{$x := 1}}'.repeat(201), /more than 200 variables/],
      ['{{range .x}}{{else}}', /{{range}} has no {{end}}/],
      ['x{{end}}', /unexpected {{end}}/],
      ['{{else}}', /unexpected {{else}}/],
      ['{{if 1}}{{else}}{{else}}{{end}}', /{{else}} after {{else}}/],
      ['{{if 1}}{{end x}}', /unexpected "x" in {{end}}/],
      ['{{range .x}}{{else if .y}}{{end}}', /unexpected "if" in {{else}}/],
      ['{{nope 1}}', /there is no function nope/],
      ['{{$x}}', /there is no variable \$x/],
      ['{{$x = 1}}', /there is no variable \$x/],
      ['{{if $x := 1}}{{end}}{{$x}}', /there is no variable \$x/],
      ['{{$ := 1}}', /\$ cannot be set/],
      ['{{$a, $b := 1}}', /at most 1 variables/],
      ['{{$a := 1}}{{($a := 2)}}', /at most 0 variables/],
      ['{{"a}}', /a text has no end/],
      ['{{"\\z"}}', /wrong escape/],
      ["{{'ab'}}", /one character/],
      ['{{`a}}', /a text has no end/],
      ['{{/* a }}', /a comment has no end/],
      ['{{/* a */ b}}', /a comment must end right before/],
      ['{{(1}}', /unexpected "}}" in parentheses/],
      ['{{1)}}', /unexpected "\)" in an action/],
      ['{{1 | 2}}', /what follows \| must be a function/],
      ['{{.a.b"x"}}', /unexpected "x"/],
      ['{{5abc}}', /unexpected "abc"/],
      ['{{99999999999999999999}}', /is not a number/],
      ['{{1e999}}', /is not a number/],
      ['{{break}}', /{{break}} outside {{range}}/],
      ['{{template "x"}}', /{{template}} is not supported/],
      ['{{define "x"}}{{end}}', /{{define}} is not supported/],
      ['{{.a | }}', /unexpected "}}"/],
      ['{{%}}', /unexpected "%"/],
      [`{{${'x'.repeat(30_000)}}}`, /^line 1: there is no function x{100,200}\.\.\.$/],
      ['a\n\n{{/* \n */}}{{`\n`}}\n{{nope}}', /^line 6: /],
      ['{{('.repeat(300), /nested more than|there is|unexpected/]
    ])
  })

  test('stops when it does something impossible', () => {
    faults([
      ['{{lt .payload.unit 1}}', /^line 1: string and int have no order/],
      ['{{gt .payload.missing 1.0}}', /nil and float64 have no order/],
      ['{{eq .payload.list 1}}', /cannot be compared/],
      ['{{len 5}}', /int has no length/],
      ['{{index .payload.list 9}}', /there is no element 9/],
      ['{{index .payload.list "a"}}', /string where a number is wanted/],
      ['{{index .payload 1}}', /int where text is wanted/],
      ['{{index .payload.value 1}}', /has no elements/],
      ['{{range .payload.unit}}{{end}}', /string has no elements/],
      ['{{.payload.unit 1}}', /unit takes no arguments/],
      ['{{1 | .payload.unit}}', /unit takes no arguments/],
      ['{{nil}}', /nil is not a command/],
      ['{{not}}', /not: 0 arguments/],
      ['{{not 1 2}}', /not: 2 arguments/],
      ['{{printf 5}}', /printf: int where text is wanted/],
      ['{{printf "%99999d" 1}}', /a width is at most/],
      ['{{toTime "soon"}}', /string is not a number/],
      ['{{toTime 1e15}}', /there is no such time/],
      ['{{(toTime 1).Format}}', /Format: 0 arguments/],
      ['{{(toTime 1).Year 5}}', /Year: 1 arguments/],
      ['{{(toTime 1).Nope}}', /a time has no Nope/]
    ])
  })

  test('ends soon and uses little memory, whatever it contains', () => {
    const payload = { text: 'x'.repeat(60_000), map: {} as Record<string, number> }
    for (let i = 0; i < 4000; i++) payload.map[`key${i}`] = i
    const doubling = '{{$x := "xxxxxxxx"}}{{range 1000}}{{$x = print $x $x}}{{end}}'
    const hostile = [
      '{{range 1000000000}}{{end}}',
      '{{range 100000}}{{range 100000}}{{end}}{{end}}',
      '{{range 9999999}}aaaaaaaaaaaaaaaaaaaaaaa{{end}}',
      doubling,
      '{{range 1000000}}{{$y := print $.payload}}{{end}}',
      '{{range 1000000}}{{$y := eq $.payload.text $.payload.text}}{{end}}',
      '{{range 1000000}}{{$y := len $.payload.map}}{{end}}',
      '{{range 1000000}}{{if $.payload.map}}{{end}}{{end}}',
      '{{range 1000000}}{{range $.payload.map}}{{break}}{{end}}{{end}}',
      `{{print ${'.payload '.repeat(7000)}}}`,
      `{{println ${'.payload '.repeat(7000)}}}`,
      `{{printf "%v" ${'.payload '.repeat(7000)}}}`,
      `{{printf "${'%v'.repeat(5000)}" ${'.payload '.repeat(5000)}}}`,
      `${'{{$v := 1}}'.repeat(5000)}{{range 1000000}}{{$y := $}}{{end}}`,
      '{{range 1000000}}{{$y := html $.payload.text}}{{end}}',
      '{{range 1000000}}{{$y := printf "%1000d" 1}}{{end}}'
    ]
    for (const source of hostile) {
      assert.throws(() => render(source, { payload }), TemplateError, source.slice(0, 60))
    }
  })

  test('has costs for what it reads, not only for what it prints', () => {
    const cost = (source: string, payload: unknown) => {
      const budget = newBudget()
      const { left } = budget
      render(source, { payload }, budget)
      return left - budget.left
    }
    const many = (value: unknown) => Array(400).fill(value)
    const costs: readonly (readonly [source: string, payload: unknown, least: number])[] = [
      ['{{$x := printf "%.0s" .payload}}', ['a'.repeat(65_000)], 8000],
      ['{{$x := printf "%.0s" .payload}}', { ['a'.repeat(65_000)]: '' }, 8000],
      ['{{$x := printf "%.0s" .payload}}', many(''), 400],
      ['{{$x := printf "%s" .payload}}', many([[]]), 800],
      ['{{$x := printf "%.0f" .payload}}', many(0.5), 8000],
      ['{{$x := printf "%.0f" .payload}}', many(1e300).slice(0, 100), 10_000],
      ['{{$x := printf "%v" .payload}}', many(0.5), 2000],
      ['{{$x := print .payload}}', many({}), 400],
      ['{{.payload}}', many(0.5), 2000],
      ['{{$x := printf "" .payload}}', many(0.5), 2000],
      [`{{$x := printf "${'%%'.repeat(400)}"}}`, {}, 400],
      ['{{range $i := 100}}{{$x := toTime $i}}{{end}}', {}, 3000],
      [`{{$t := toTime 1}}{{$x := print ${'$t '.repeat(100)}}}`, {}, 3000],
      ['{{$t := toTime 1}}{{range 100}}{{$x := $t.String}}{{end}}', {}, 3000],
      ['{{$t := toTime 1}}{{range 100}}{{$x := or $t.Year}}{{end}}', {}, 3000],
      [`{{$x := (toTime 1).Format "${'.9'.repeat(500)}"}}`, {}, 1000],
      [`{{if 0}}${'{{1}}'.repeat(400)}{{end}}`, {}, 2400],
      [`{{range 10}}{{$x := or 1 ${'1 '.repeat(400)}}}{{end}}`, {}, 4000],
      [`{{range 10}}{{$x := and 0 ${'1 '.repeat(400)}}}{{end}}`, {}, 4000]
    ]
    for (const [source, payload, least] of costs) {
      const steps = cost(source, payload)
      assert(steps >= least, `${source.slice(0, 60)} cost ${steps}`)
    }
    // A single long text still works.
    const long = 'a'.repeat(60_000)
    for (const source of ['{{.payload}}', '{{html .payload}}', '{{printf "%s" .payload}}']) {
      assert.equal(render(source, { payload: long }), long)
    }
  })

  test('never throws any other error', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...['{{', '}}', '{{-', ' -}}', '{{if ', '{{else}}', '{{else if ', '{{end}}', '{{range '],
        ...['{{with ', ' . ', '.payload', '.list', '$x', '$', ' := ', ' = ', '|', '(', ')', ', '],
        ...[
          '"a"',
          '`b`',
          "'c'",
          '12',
          '-1.5',
          '1e9',
          'true',
          'nil',
          ' printf ',
          ' index ',
          ' len '
        ],
        ...[
          ' eq ',
          ' lt ',
          ' toTime ',
          '.Format',
          '"%d %s %v"',
          '"2006"',
          ' and ',
          ' html ',
          ' js '
        ],
        ...['.__proto__', '.constructor', '/*', '*/', '\n', ' ', '{{break}}', '{{continue}}']
      ),
      fc.string({ maxLength: 5, unit: 'binary' })
    )
    const source = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(source, fc.jsonValue(), (text, payload) => {
        try {
          const made = render(text, { payload, list: [1, 'a', payload] })
          assert(made.length <= 65_536)
        } catch (error) {
          assert(error instanceof TemplateError, String(error))
        }
      }),
      { numRuns: rounds(3000) }
    )
  })

  test('a text without actions stays unchanged, and a payload is printed unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const plain = text.replaceAll('{{', '')
        assert.equal(render(plain), plain)
        assert.equal(render('{{.payload.t}}', { payload: { t: text } }), text)
        assert.equal(render(`{{\`${text.replace(/[`\r]/g, '')}\`}}`), text.replace(/[`\r]/g, ''))
      })
    )
  })
})
