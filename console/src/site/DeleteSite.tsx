import { Button, Group, Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { bytesText } from '../bytes.ts'
import { Problem } from '../frame/Problem.tsx'
import { Fault, refusal } from '../modelx/Details.tsx'
import { dropDraft } from '../modelx/draft.ts'
import { installations, queryClient, rights } from '../queries.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { deleteInstallation, type Installation } from './api.ts'
import { goingWith } from './counts.ts'
import { daysDrafts, settingsDrafts } from './settings.ts'

type Props = { installation: Installation }

/** Deletes the installation, after its name is typed. */
export function DeleteSite({ installation }: Props) {
  const { site: t, connect } = useTexts()
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Group>
        <Button variant="outline" color="red" c="var(--bad)" onClick={() => setAsking(true)}>
          {t.delete}
        </Button>
      </Group>
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={t.deleteTitle(installation.name)}
        closeButtonProps={{ 'aria-label': connect.cancel }}
        classNames={{ title: 'drawer-title' }}
      >
        <Question installation={installation} stay={() => setAsking(false)} />
      </Modal>
    </>
  )
}

function Question({ installation, stay }: Props & { stay: () => void }) {
  const texts = useTexts()
  const { site: t, connect } = texts
  const { id } = installation
  // Spaces at its ends are not seen.
  const name = installation.name.trim()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const remove = useMutation({
    mutationFn: async () => {
      await deleteInstallation(id)
      for (const { drop } of [settingsDrafts, daysDrafts]) drop()
      dropDraft()
      await navigate({ to: '/installations' })
      await queryClient.invalidateQueries(installations)
    }
  })
  const isTyped = typed.trim() === name
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isTyped) remove.mutate()
      }}
    >
      <Stack>
        <Goes installation={installation} />
        <TextInput
          label={t.typeName(name)}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          data-autofocus
          styles={{ label: { overflowWrap: 'anywhere' } }}
        />
        {remove.error && <Fault text={refusal(remove.error, 'installation/delete', texts)} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={stay}>
            {connect.cancel}
          </Button>
          <Button type="submit" color="red" disabled={!isTyped} loading={remove.isPending}>
            {t.deleteGo}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** What goes with it, counted. */
function Goes({ installation: { id, users } }: Props) {
  const { site: t } = useTexts()
  const locale = useLocale()
  const may = useQuery(rights(id)).data
  const { data, error, refetch } = useQuery({
    ...goingWith(id, may ?? {}),
    enabled: may !== undefined
  })
  if (error) return <Problem error={error} again={() => void refetch()} />
  if (!data) return <Skeleton h={120} />
  const { stored, counts } = data
  const text = (n: number) => n.toLocaleString(locale)
  const { topics, history_bytes, files } = stored
  return (
    <div>
      <Text fw={600}>{t.goes}</Text>
      <ul className="goes">
        {(topics.used > 0 || history_bytes.used > 0) && (
          <li>
            {t.counts.values(bytesText(history_bytes.used, locale), topics.used, text(topics.used))}
          </li>
        )}
        {counts.map(({ kind, n }) => (
          <li key={kind}>{t.counts[kind](n, text(n))}</li>
        ))}
        {files.used > 0 && <li>{t.counts.files(files.used, text(files.used))}</li>}
        <li>{t.rest}</li>
        {users.length > 0 && <li>{t.counts.people(users.length, text(users.length))}</li>}
      </ul>
      <Text className="muted" mt="xs">
        {t.deleteHelp}
      </Text>
    </div>
  )
}
