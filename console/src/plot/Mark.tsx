import { dashes } from './palette.ts'

/** The piece of a line that tells which one it is. */
export function Mark({ color, dash = 0 }: { color: string; dash?: number | undefined }) {
  return (
    <svg className="mark" width={14} height={4} aria-hidden>
      <line
        x1={0}
        x2={14}
        y1={2}
        y2={2}
        stroke={color}
        strokeWidth={3}
        strokeDasharray={dashes[dash]?.map((part) => part / 1.5).join(' ')}
      />
    </svg>
  )
}
