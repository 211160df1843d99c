import '../modelx/modelx.css'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Fault, refusal } from '../modelx/Details.tsx'
import {
  countOf,
  type Draft,
  dropDraft,
  fieldsOf,
  isTooLong,
  keyFault,
  useDraft
} from '../modelx/draft.ts'
import { MetaEditor } from '../modelx/MetaEditor.tsx'
import { rights } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import type { Installation } from './api.ts'
import { metaDraftOf, type Outcome, saveMetadata } from './metadata.ts'

type Props = { installation: Installation; mayEdit: boolean }

/** Texts by key, for people and for programs. */
export function Metadata({ installation, mayEdit }: Props) {
  const texts = useTexts()
  const { functions: t } = texts
  const { id } = installation
  const [draft, change] = useDraft(metaDraftOf(id))
  const [outcome, setOutcome] = useState<Outcome>()
  const [isBusy, setBusy] = useState(false)
  const mayProtect = useQuery(rights(id)).data?.['installation/edit/protected_meta'] === true
  const count = countOf(draft)
  const save = async () => {
    setBusy(true)
    setOutcome(undefined)
    const failed = (error: Error): Outcome => ({ state: 'refused', at: '', error })
    setOutcome(await saveMetadata(id).catch(failed))
    setBusy(false)
  }
  const refused = outcome?.state === 'refused' ? outcome : undefined
  // Who may change the installation is refused only for a key that is protected.
  const why = refused && refusal(refused.error, 'installation/edit/protected_meta', texts)
  return (
    <form
      className="site-meta"
      onSubmit={(event) => {
        event.preventDefault()
        if (count > 0 && isReady(installation, draft)) void save()
      }}
    >
      <MetaEditor
        model={installation}
        {...{ draft, change, mayEdit, mayProtect }}
        faults={new Map(refused && why ? [[refused.at, why]] : [])}
      />
      <Stack gap="xs" mt="sm">
        {outcome?.state === 'conflict' && count > 0 && <Fault text={t.conflicts} />}
        {refused && count > 0 && <Fault text={refused.at ? t.partly(count) : (why ?? '')} />}
        {count > 0 ? (
          <Group gap="xs">
            <Button type="submit" loading={isBusy} disabled={!isReady(installation, draft)}>
              {t.save}
            </Button>
            <Button variant="default" onClick={dropDraft}>
              {t.discard}
            </Button>
            <Text className="muted">{t.changes(count)}</Text>
          </Group>
        ) : (
          <Text role="status" className="muted">
            {outcome?.state === 'saved' && t.saved}
          </Text>
        )}
      </Stack>
    </form>
  )
}

function isReady(installation: Installation, { edits, added }: Draft): boolean {
  const keys = [...fieldsOf(installation).keys(), ...edits.keys()]
  const isTaken = (row: number) => (key: string) =>
    keys.includes(key) || added.some((one) => one.row !== row && one.key === key)
  return (
    [...edits.values()].every(({ to }) => !to || !isTooLong(to.value)) &&
    added.every(({ row, key, value }) => !keyFault(key, isTaken(row)) && !isTooLong(value))
  )
}
