import { type AlarmFilter, type AlarmState, type Severity, severities, states } from './api.ts'

/** What the address of a list of alarms holds. Without a state: those that are not acknowledged. */
export type AlarmsSearch = { state?: AlarmState | 'all'; severity?: Severity }

export const readAlarmsSearch = (search: Record<string, unknown>): AlarmsSearch => ({
  state: [...states, 'all' as const].find((one) => one !== 'raised' && one === search.state),
  severity: severities.find((one) => one === search.severity)
})

export const filterOf = ({ state = 'raised', severity }: AlarmsSearch): AlarmFilter => ({
  ...(state !== 'all' && { state }),
  ...(severity && { severity })
})
