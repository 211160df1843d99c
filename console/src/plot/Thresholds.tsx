import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { numberFormat } from '../formats.ts'
import { type Store, useStore } from '../store.ts'
import { useLocale } from '../texts/texts.ts'
import { type Place, rounded, stepOf, type Threshold } from './marks.ts'

type Props = {
  place: Store<Place | undefined>
  thresholds: readonly Threshold[]
  /** Tells when a drag begins and ends. */
  drag: (isOn: boolean) => void
}

/** Lines across the plot that can be dragged, by mouse, finger and keyboard. */
export function Thresholds({ place, thresholds, drag }: Props) {
  const at = useStore(place)
  if (!at || at.max <= at.min) return null
  return thresholds
    .filter(({ value }) => value >= at.min && value <= at.max)
    .map((one) => <Line key={one.key} place={at} threshold={one} drag={drag} />)
}

const PAGE_STEPS = 10

type LineProps = { place: Place; threshold: Threshold; drag: (isOn: boolean) => void }

function Line({ place, threshold, drag }: LineProps) {
  const { value, name, move } = threshold
  const text = numberFormat(useLocale(), { maximumFractionDigits: 6 }).format(value)
  const step = stepOf(place)
  // What is under the pointer when the drag begins stays there.
  const grip = useRef<number>(undefined)
  const { top, left, width, height, min, max } = place
  const y = top + ((max - value) / (max - min)) * height
  const valueAt = ({ clientY }: PointerEvent<HTMLElement>) =>
    ((grip.current ?? 0) - clientY) * ((max - min) / height)
  const set = (wanted: number) => {
    const next = rounded(Math.min(max, Math.max(min, wanted)), step)
    if (next !== value) move?.(next)
  }
  const keys: Record<string, number> = {
    ArrowUp: step,
    ArrowRight: step,
    ArrowDown: -step,
    ArrowLeft: -step,
    PageUp: PAGE_STEPS * step,
    PageDown: -PAGE_STEPS * step
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const by = keys[event.key]
    if (by === undefined) return
    event.preventDefault()
    event.stopPropagation()
    set(value + by)
  }
  const style = { top: y, left, width }
  if (!move) {
    return (
      <div className="threshold" style={style} role="img" aria-label={`${name}: ${text}`}>
        <span className="threshold-grip fixed">{text}</span>
      </div>
    )
  }
  return (
    <div className="threshold" style={style}>
      <div
        className="threshold-grip"
        role="slider"
        tabIndex={0}
        aria-orientation="vertical"
        aria-label={name}
        aria-valuenow={value}
        aria-valuemin={min}
        aria-valuemax={max}
        aria-valuetext={text}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          grip.current = event.clientY + (value * height) / (max - min)
          drag(true)
        }}
        onPointerMove={(event) => grip.current !== undefined && set(valueAt(event))}
        onLostPointerCapture={() => {
          grip.current = undefined
          drag(false)
        }}
      >
        {text}
      </div>
    </div>
  )
}
