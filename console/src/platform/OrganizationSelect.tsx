import { Select } from '@mantine/core'
import { useOrganizations } from './organizations.ts'

const MOST_SHOWN = 50

type Props = {
  label: string
  description?: string
  /** 0: none is chosen. */
  value: number
  change: (id: number) => void
  isLocked?: boolean
  /** What 0 is called, if it can be chosen. */
  none?: string
}

/** Chooses an organization by its name. */
export function OrganizationSelect({ label, description, value, change, isLocked, none }: Props) {
  const { choices, nameOf } = useOrganizations()
  const known = choices.some((one) => one.value === String(value))
  const unknown = value > 0 && !known ? [{ value: String(value), label: nameOf(value) }] : []
  const first = none === undefined ? [] : [{ value: '0', label: none }]
  const isChosen = value > 0 || none !== undefined
  return (
    <Select
      {...{ label, description }}
      searchable
      allowDeselect={false}
      limit={MOST_SHOWN}
      disabled={isLocked}
      data={[...first, ...choices, ...unknown]}
      value={isChosen ? String(value) : null}
      onChange={(id) => change(Number(id ?? 0))}
    />
  )
}
