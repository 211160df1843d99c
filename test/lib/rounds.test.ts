import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Rounds } from '../../src/lib/rounds.ts'

test('all who ask during a round share the next one', async () => {
  const ends: (() => void)[] = []
  const rounds = new Rounds(() => new Promise((resolve) => void ends.push(resolve)))
  const first = rounds.ask()
  const later = [rounds.ask(), rounds.ask()]
  assert.equal(rounds.count, 1)
  ends[0]?.()
  await first
  await Promise.resolve()
  assert.equal(rounds.count, 2)
  ends[1]?.()
  await Promise.all(later)
  assert.equal(rounds.count, 2)
})

test('who asks at any moment around the end of a round gets a round that began later', async () => {
  for (let turns = 0; turns < 10; turns++) {
    let began = 0
    let end = () => {}
    const rounds = new Rounds(() => {
      began++
      return began === 1
        ? new Promise((resolve) => {
            end = resolve
          })
        : Promise.resolve()
    })
    const first = rounds.ask()
    end()
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    await rounds.ask()
    assert.equal(began, 2, `after ${turns} turns`)
    await first
  }
})

test('a round that fails is told to those who asked for it, and the next one runs', async () => {
  let began = 0
  const rounds = new Rounds(async () => {
    began++
    if (began === 1) throw new Error('no answer')
  })
  const first = rounds.ask()
  const second = rounds.ask()
  await assert.rejects(first, /no answer/)
  await second
  assert.equal(began, 2)
  await rounds.ask()
  assert.equal(began, 3)
})
