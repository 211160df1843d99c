import { Button, Group, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { ChangedMeanwhile } from '../edit/save.ts'
import { refusal } from '../modelx/Details.tsx'
import { type Texts, useTexts } from '../texts/texts.ts'

type Work = 'save' | 'delete'

/**
 * Runs what an editor asks for. `after` follows what worked; `permission` names what a refusal
 * lacks.
 */
export function useEditing(after: () => Promise<void>, permission: (work: Work) => string) {
  const texts = useTexts()
  const [fault, setFault] = useState('')
  const [busy, setBusy] = useState<Work>()
  const run = async (kind: Work, work: () => Promise<void>) => {
    setBusy(kind)
    setFault('')
    try {
      await work()
      await after()
    } catch (error) {
      // The page shows what differs.
      if (!(error instanceof ChangedMeanwhile))
        setFault(refusal(error as Error, permission(kind), texts))
    }
    setBusy(undefined)
  }
  return { fault, busy, run }
}

type ActionsProps = {
  texts: Pick<Texts['rule'], 'create' | 'save' | 'delete' | 'deleteSure' | 'deleteGo' | 'keep'>
  isNew: boolean
  busy: Work | undefined
  /** Undefined: it cannot be deleted. */
  remove: (() => void) | undefined
  maySave: boolean
  canSave: boolean
}

/** Deletes and saves what an editor shows. */
export function EditorActions({ texts: t, isNew, busy, remove, maySave, canSave }: ActionsProps) {
  return (
    <Group justify="space-between">
      {remove ? <Delete texts={t} isBusy={busy === 'delete'} go={remove} /> : <span />}
      {maySave && (
        <Button type="submit" loading={busy === 'save'} disabled={!canSave}>
          {isNew ? t.create : t.save}
        </Button>
      )}
    </Group>
  )
}

type DeleteProps = { texts: ActionsProps['texts']; isBusy: boolean; go: () => void }

/** A second click deletes. */
function Delete({ texts: t, isBusy, go }: DeleteProps) {
  const [isAsking, setAsking] = useState(false)
  if (!isAsking) {
    return (
      <Button
        variant="subtle"
        c="var(--bad)"
        color="red"
        leftSection={<IconTrash size={14} aria-hidden />}
        onClick={() => setAsking(true)}
      >
        {t.delete}
      </Button>
    )
  }
  return (
    <Group gap="xs" role="alertdialog" aria-label={t.delete}>
      <Text>{t.deleteSure}</Text>
      <Button variant="default" size="xs" onClick={() => setAsking(false)}>
        {t.keep}
      </Button>
      <Button color="red" size="xs" loading={isBusy} onClick={go}>
        {t.deleteGo}
      </Button>
    </Group>
  )
}
