import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emailMatches } from '../../src/lib/email-pattern.ts'

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
  // A dot is a dot, and no wildcard reaches over the @.
  f('*@example.com', 'anna@exampleXcom', false)
  f('*a@b.com', 'x@a@b.com', false)
  f('*.com@x', 'a@b.com', false)
})
