import { Autocomplete, Button, Group, Select, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useDraftOf } from '../drafts.ts'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { ChangedMeanwhile, saveOnSeen } from '../edit/save.ts'
import { Fault, refusal } from '../modelx/Details.tsx'
import { permissions } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import {
  type Installation,
  organizationNames,
  readInstallation,
  showInstallation,
  updateInstallation
} from './api.ts'
import { settingsDrafts as drafts, type Settings, settingsOf } from './settings.ts'

type Props = { installation: Installation; mayEdit: boolean }

const zones = Intl.supportedValuesOf('timeZone')
const MAX_SHOWN = 50

/** Name, notes, time zone and organization. */
export function General({ installation, mayEdit }: Props) {
  const { site: t } = useTexts()
  const { id } = installation
  const of = String(id)
  const saved = settingsOf(installation)
  const [draft, change] = useDraftOf(drafts, of, saved)
  const { fault, state, save } = useSaving(id, draft)
  const organizations = useOrganizations(saved.organization_id)
  const set = (changed: Partial<Settings>) => change({ ...draft, ...changed })
  const faultAt = (field: string) => fault.split('; ').find((one) => one.startsWith(`${field} `))
  const isPlaced = faultAt('name') !== undefined || faultAt('timezone') !== undefined
  const isNameMissing = draft.name.trim() === ''
  return (
    <form
      className="site-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isNameMissing) void save()
      }}
    >
      <TextInput
        label={t.fields.name}
        required
        readOnly={!mayEdit}
        maxLength={255}
        value={draft.name}
        error={isNameMissing ? t.nameMissing : faultAt('name')}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <Textarea
        label={t.fields.notes}
        readOnly={!mayEdit}
        autosize
        minRows={3}
        maxRows={16}
        maxLength={65_536}
        value={draft.notes}
        onChange={(event) => set({ notes: event.currentTarget.value })}
      />
      <Autocomplete
        label={t.fields.timezone}
        description={t.zoneHelp}
        placeholder={t.zoneEmpty}
        readOnly={!mayEdit}
        data={mayEdit ? zones : []}
        limit={MAX_SHOWN}
        maxLength={100}
        value={draft.timezone}
        error={faultAt('timezone')}
        onChange={(timezone) => set({ timezone })}
      />
      {organizations && (
        <Select
          label={t.fields.organization_id}
          description={draft.organization_id !== saved.organization_id && t.moveHelp}
          readOnly={!mayEdit}
          searchable={mayEdit}
          allowDeselect={false}
          limit={MAX_SHOWN}
          data={organizations}
          value={String(draft.organization_id)}
          onChange={(value) => value !== null && set({ organization_id: Number(value) })}
        />
      )}
      <Meanwhile
        {...{ drafts, of, saved }}
        nameOf={(field) => t.fields[field as keyof Settings]}
        textOf={(value, field) =>
          field === 'organization_id'
            ? organizations?.find((one) => one.value === String(value))?.label
            : undefined
        }
      />
      {fault && !isPlaced && <Fault text={fault} />}
      {mayEdit && (
        <Group gap="xs">
          <Button
            type="submit"
            loading={state === 'busy'}
            disabled={!drafts.has() || isNameMissing}
          >
            {t.save}
          </Button>
          {drafts.has() && (
            <Button variant="default" onClick={drafts.drop}>
              {t.discard}
            </Button>
          )}
          <Text role="status" className="muted">
            {state === 'saved' && !drafts.has() && t.saved}
          </Text>
        </Group>
      )}
    </form>
  )
}

function useSaving(id: number, draft: Settings) {
  const texts = useTexts()
  const [fault, setFault] = useState('')
  const [state, setState] = useState<'busy' | 'saved'>()
  const save = async () => {
    setFault('')
    setState('busy')
    try {
      const stored = await saveOnSeen({
        read: () => readInstallation(id),
        isKnown: (now) => drafts.isBase(String(id), settingsOf(now)),
        write: (etag) => updateInstallation(id, { body: draft, etag }),
        show: showInstallation
      })
      showInstallation(stored)
      drafts.drop()
      setState('saved')
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) {
        setFault(refusal(error as Error, 'installation/update', texts))
      }
      setState(undefined)
    }
  }
  return { fault, state, save }
}

/** By name. Undefined: the caller may not list them. */
function useOrganizations(own: number) {
  const may = useQuery(permissions).data
  const mayList = may?.['organization/list'] === true || may?.['organization/list/all'] === true
  const { data } = useQuery({ ...organizationNames, enabled: mayList })
  if (!data?.some((one) => one.id === own)) return undefined
  const names = new Map<string, number>()
  for (const { name } of data) names.set(name, (names.get(name) ?? 0) + 1)
  return data.map(({ id, name }) => ({
    value: String(id),
    // Two organizations may have the same name.
    label: (names.get(name) ?? 0) > 1 ? `${name} (${id})` : name
  }))
}
