import { ActionIcon, Button, Group, Tooltip } from '@mantine/core'
import {
  IconArrowBackUp,
  IconChevronLeft,
  IconChevronRight,
  IconZoomIn,
  IconZoomOut
} from '@tabler/icons-react'
import { useTexts } from '../texts/texts.ts'

type Props = {
  onMove: (by: number) => void
  onZoom: (by: number) => void
  onBack: () => void
  onNow: (() => void) | undefined
}

/** Moves and zooms without a mouse. */
export function ZoomButtons({ onMove, onZoom, onBack, onNow }: Props) {
  const { plot: t } = useTexts()
  const buttons = [
    { label: t.earlierButton, Icon: IconChevronLeft, act: () => onMove(-0.5) },
    { label: t.laterButton, Icon: IconChevronRight, act: () => onMove(0.5) },
    { label: t.nearer, Icon: IconZoomIn, act: () => onZoom(0.5) },
    { label: t.farther, Icon: IconZoomOut, act: () => onZoom(2) },
    { label: t.back, Icon: IconArrowBackUp, act: onBack }
  ]
  return (
    <Group gap={6}>
      {onNow && (
        <Button variant="light" onClick={onNow}>
          {t.now}
        </Button>
      )}
      {buttons.map(({ label, Icon, act }) => (
        <Tooltip key={label} label={label}>
          <ActionIcon variant="default" size={36} aria-label={label} onClick={act}>
            <Icon size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ))}
    </Group>
  )
}
