import { accountOf } from '../../../lib/owner.ts'
import { firstLevel } from '../../../lib/topic.ts'
import type { Change, Read } from './changes.ts'

/** Changes that are written all or none, and a read that follows them. */
export type Unit = {
  changes: Change[]
  read: Read | undefined
  lanes: Iterable<string>
  rows: number
  settled: PromiseWithResolvers<unknown>
}

/** About ten milliseconds of work in the thread. Others wait that long for a group. */
const MAX_GROUP_ROWS = 2000
/** The lane of everything that belongs to no owner. */
const PLATFORM_LANE = ''

/**
 * Changes and reads that wait for the next groups, in lanes. Each account with sessions has a lane,
 * each installation has one for its retained messages, and each client has one for its will. A lane
 * keeps its order, and the lanes take turns. So an owner with many rows does not delay the others.
 */
export class Queue {
  readonly #lanes = new Map<string, Unit[]>()
  readonly #owners = new Map<number, string>()

  get isEmpty(): boolean {
    return this.#lanes.size === 0
  }

  restore(sessions: { key: number; owner: string }[]): void {
    for (const { key, owner } of sessions) this.#owners.set(key, owner)
  }

  add(changes: Change[], read?: Read): Unit {
    const lanes = new Set<string>()
    let rows = 1
    for (const change of changes) rows += this.#lanesOf(change, lanes)
    if (read) {
      if ('key' in read) lanes.add(this.#laneOf(read.key))
      // This read sees everything, so it waits in all lanes.
      else for (const lane of [PLATFORM_LANE, ...this.#lanes.keys()]) lanes.add(lane)
    }
    if (lanes.size === 0) lanes.add(PLATFORM_LANE)
    const unit = { changes, read, lanes, rows, settled: Promise.withResolvers<unknown>() }
    for (const lane of lanes) {
      const waiting = this.#lanes.get(lane)
      if (waiting) waiting.push(unit)
      else this.#lanes.set(lane, [unit])
    }
    return unit
  }

  /** The next group. Takes from the lanes in turn; at least one unit if there is any. */
  take(): Unit[] {
    const group: Unit[] = []
    let room = MAX_GROUP_ROWS
    for (const { 0: unit } of this.#lanes.values()) {
      if (!unit || (unit.rows > room && group.length > 0) || !this.#isFirst(unit)) continue
      for (const lane of unit.lanes) this.#advance(lane)
      group.push(unit)
      room -= unit.rows
      if (room <= 0) break
    }
    return group
  }

  /** Whether the unit is the first in all of its lanes. The oldest unit always is. */
  #isFirst(unit: Unit): boolean {
    for (const lane of unit.lanes) if (this.#lanes.get(lane)?.[0] !== unit) return false
    return true
  }

  /** Removes the first unit of the lane, and puts the lane behind all others. */
  #advance(lane: string): void {
    const waiting = this.#lanes.get(lane)
    this.#lanes.delete(lane)
    waiting?.shift()
    if (waiting && waiting.length > 0) this.#lanes.set(lane, waiting)
  }

  /** Adds the lanes of the change; returns how many rows it writes. */
  #lanesOf(change: Change, lanes: Set<string>): number {
    switch (change.kind) {
      case 'session':
        this.#owners.set(change.key, change.owner)
        break
      case 'message':
        for (const { key } of change.receivers) lanes.add(this.#laneOf(key))
        return change.receivers.length
      case 'retain':
      case 'unretain':
        lanes.add(`retained ${firstLevel(change.topic)}`)
        return 1
      case 'will':
      case 'due':
      case 'unwill':
        lanes.add(`will ${change.name}`)
        return 1
      case 'platform':
        lanes.add(PLATFORM_LANE)
        return 1
    }
    lanes.add(this.#laneOf(change.key))
    if (change.kind === 'end') this.#owners.delete(change.key)
    return change.kind === 'numbered' ? change.ids.length : 1
  }

  #laneOf(key: number): string {
    const owner = this.#owners.get(key)
    return owner === undefined ? PLATFORM_LANE : `owner ${accountOf(owner)}`
  }
}
