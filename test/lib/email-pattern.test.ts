import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breadth, emailMatches, namesDomain, patternsOverlap } from '../../src/lib/email-pattern.ts'

test('emailMatches', () => {
  const f = (pattern: string, email: string, want: boolean) =>
    assert.equal(emailMatches(pattern, email), want, `${pattern} ~ ${email}`)

  f('*@example.com', 'anna@example.com', true)
  f('*@Example.COM', 'Anna@eXample.com', true)
  f('*@example.com', 'anna@notexample.com', false)
  f('*@example.com', 'anna@example.com.evil.org', false)
  f('*@example.com', 'anna@mail.example.com', false)
  f('*@*.example.com', 'anna@mail.example.com', true)
  f('*@*.example.com', 'anna@example.com', false)
  f('*@*', 'anna@anywhere.org', true)
  f('anna@example.com', 'anna@example.com', true)
  f('anna@example.com', 'hanna@example.com', false)
  f('a*a@example.com', 'anna@example.com', true)
  f('a*a@example.com', 'a@example.com', false)
  // A dot is only a dot, and no wildcard matches across the @.
  f('*@example.com', 'anna@exampleXcom', false)
  f('*a@b.com', 'x@a@b.com', false)
  f('*.com@x', 'a@b.com', false)
})

test('breadth grows from one address to one domain to several domains', () => {
  const f = (pattern: string, want: number) => assert.equal(breadth(pattern), want, pattern)

  f('anna@example.com', 0)
  f('*@example.com', 1)
  f('a*a@example.com', 1)
  f('anna@*.example.com', 2)
  f('*@*.com', 2)
  f('*@*', 2)
})

test('namesDomain', () => {
  const f = (pattern: string, want: boolean) => assert.equal(namesDomain(pattern), want, pattern)

  f('anna@example.com', true)
  f('*@example.com', true)
  f('*@localhost', true)
  f('*@*.example.com', true)
  f('*@*', false)
  f('*@*.com', false)
  f('*@example.*', false)
  f('*@*example.com', false)
  f('a.b.c@*', false)
})

test('patternsOverlap', () => {
  const f = (a: string, b: string, want: boolean) => {
    assert.equal(patternsOverlap(a, b), want, `${a} ~ ${b}`)
    assert.equal(patternsOverlap(b, a), want, `${b} ~ ${a}`)
  }

  f('*@b.example', '*@B.Example', true)
  f('*@b.example', 'anna@b.example', true)
  f('*@b.example', '*@c.example', false)
  f('*@*', 'anna@b.example', true)
  f('*@*.example', '*@b.*', true)
  f('*@*.example', '*@*.org', false)
  f('*@*.b.example', '*@b.example', false)
  f('*@a*.example', '*@b*.example', false)
  f('*@ab*.example', '*@a*z.example', true)
  f('a*@b.example', '*z@b.example', true)
  f('a*@b.example', 'b*@b.example', false)
  f('*x*@b.example', '*y*@b.example', true)
  f('anna@b.example', 'ANNA@b.example', true)
  f('anna@b.example', 'hanna@b.example', false)
})
