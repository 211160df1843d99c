import { FORMAT, type Meta, type Row, type State, statesOf } from './shown.ts'

/** How a function is controlled, by its type and metadata. */
export type Control =
  | { kind: 'switch'; off: State; on: State }
  | { kind: 'choice'; states: State[] }
  | { kind: 'slider'; min: number; max: number; step: number }
  | { kind: 'number'; min?: number; max?: number; step?: number }
  | { kind: 'text' }

/** What is sent: a number, or a text beside the number 0. */
export type Asked = { value: number; msg?: string }

/** A slider with more steps is too fine for a finger. */
const MAX_STEPS = 400
const MAX_TEXT_CHARACTERS = 1000

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined || text.trim() === '' || !Number.isFinite(Number(text))
    ? undefined
    : Number(text)

export function controlOf({ type, meta, write }: Row): Control | undefined {
  if (write === undefined) return undefined
  const states = statesOf(meta).sort((a, b) => a.value - b.value)
  const [off, on, ...more] = states
  if (off && on && more.length === 0) return { kind: 'switch', off, on }
  if (off) return { kind: 'choice', states }
  if (type === 'switch') {
    return { kind: 'switch', off: { value: 0, text: '0' }, on: { value: 1, text: '1' } }
  }
  if (/%s/.test(meta.format ?? '')) return { kind: 'text' }
  const [min, max, step] = [numberOf(meta.min), numberOf(meta.max), stepOf(meta)]
  if (min !== undefined && max !== undefined && min < max) {
    const by = step ?? niceStep(max - min)
    if ((max - min) / by <= MAX_STEPS) return { kind: 'slider', min, max, step: by }
  }
  return { kind: 'number', min, max, step }
}

/** By `step`, or the last digit that the format shows. */
function stepOf(meta: Meta): number | undefined {
  const step = numberOf(meta.step)
  if (step !== undefined && step > 0) return step
  const decimals = decimalsOf(meta)
  return decimals === undefined ? undefined : 10 ** -decimals
}

const decimalsOf = ({ format = '' }: Meta): number | undefined => {
  const digits = FORMAT.exec(format)?.[2]
  return digits === undefined ? undefined : Math.min(Number(digits), 10)
}

/** About a hundred steps: 1 for 0 to 100, 0.1 for 0 to 10. */
const niceStep = (span: number): number => 10 ** Math.floor(Math.log10(span / 50))

/** Whether the device says what was asked, as far as the format shows it. */
export function isSame(asked: Asked, answer: { value: number; msg: string }, meta: Meta): boolean {
  if (asked.msg !== undefined) return asked.msg === answer.msg
  const decimals = decimalsOf(meta)
  const tolerance = decimals === undefined ? 0 : 0.5 * 10 ** -decimals
  const rounding = 1e-9 * Math.max(1, Math.abs(asked.value))
  return Math.abs(asked.value - answer.value) <= tolerance + rounding
}

/** The number in a text with a point or a comma; undefined if it is none or out of bounds. */
export function askedNumber(
  text: string,
  { min = -Infinity, max = Infinity }: { min?: number; max?: number }
): number | undefined {
  const value = numberOf(text.replace(',', '.').replace('\u2212', '-'))
  return value !== undefined && value >= min && value <= max ? value : undefined
}

export const isShortText = (text: string): boolean => text.length <= MAX_TEXT_CHARACTERS

/** [ADR-0067] `topic_response` of a device that answers on the response topic of MQTT 5. */
const MQTT_5 = 'mqtt5'

/** How the device answers commands, by its metadata; undefined: it does not. */
export function answerOf({ meta, write = '' }: Row): { response_topic?: string } | undefined {
  const response_topic = meta.topic_response ?? ''
  // The platform takes no commands on topics of values.
  if (response_topic === '' || /[+#\0]/.test(response_topic) || /^\d+\/obj\//.test(write)) {
    return undefined
  }
  return response_topic === MQTT_5 ? {} : { response_topic }
}

/** [contract: MQTT] */
export const payloadOf = ({ value, msg }: Asked): string => JSON.stringify({ value, msg })
