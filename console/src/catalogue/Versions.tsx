import { Button, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { versionsOf } from '../app/api.ts'
import type { Version } from '../app/types.ts'
import { shortHash } from '../app/versions.ts'
import { Problem } from '../frame/Problem.tsx'
import { Fault, refusal } from '../modelx/Details.tsx'
import { download } from '../plot/download.ts'
import { queryClient } from '../queries.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { description, publish, script } from './api.ts'

const FIRST_SHOWN = 10

type Props = { app_id: number; isPublisher: boolean }

/** The versions of an app, the newest first. */
export function Versions({ app_id, isPublisher }: Props) {
  const { catalogue: t } = useTexts()
  const [isAll, setAll] = useState(false)
  const { data, error, refetch } = useQuery(versionsOf(app_id))
  const shown = isAll ? data : data?.slice(0, FIRST_SHOWN)
  return (
    <Stack component="section" gap="xs" aria-label={t.versions}>
      <Title order={2} size="h4">
        {t.versions}
      </Title>
      {error && <Problem error={error} again={() => void refetch()} />}
      {!data && !error && <Skeleton h={80} />}
      {data?.length === 0 && <Text>{isPublisher ? t.noVersion : t.nothingPublished}</Text>}
      <Stack component="ul" className="apps" gap="xs">
        {shown?.map((version) => (
          <Line key={version.hash} {...{ app_id, version, isPublisher }} />
        ))}
      </Stack>
      {data && shown && shown.length < data.length && (
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => setAll(true)}
        >
          {t.allVersions(data.length)}
        </Button>
      )}
    </Stack>
  )
}

function Line({ app_id, version, isPublisher }: Props & { version: Version }) {
  const texts = useTexts()
  const { catalogue: t } = texts
  const { name, hash, timestamp } = version
  const format = new Intl.DateTimeFormat(useLocale(), { dateStyle: 'medium', timeStyle: 'short' })
  const fetching = useMutation({
    mutationFn: async (kind: 'json' | 'lua') => {
      const file = kind === 'lua' ? await script(app_id, hash) : await description(app_id, hash)
      download(`app.${kind}`, file)
    }
  })
  const title = name || shortHash(hash)
  const button = (kind: 'json' | 'lua') => (
    <Button
      variant="subtle"
      size="compact-sm"
      leftSection={<IconDownload size={14} aria-hidden />}
      aria-label={t.downloadOf(`app.${kind}`, title)}
      onClick={() => fetching.mutate(kind)}
    >
      app.{kind}
    </Button>
  )
  return (
    <li className="panel app-line">
      <Group justify="space-between" gap="4px 12px">
        <Group gap="4px 12px">
          <Text fw={600}>{name || t.unpublished}</Text>
          <Text className="topic" title={hash}>
            {shortHash(hash)}
          </Text>
          <Text className="muted">{format.format(timestamp * 1000)}</Text>
        </Group>
        <Group gap={4}>
          {button('lua')}
          {button('json')}
        </Group>
      </Group>
      {fetching.error && <Fault text={refusal(fetching.error, 'edge/app/list', texts)} />}
      {isPublisher && name === '' && <Publish app_id={app_id} hash={hash} />}
    </li>
  )
}

/** Gives a version its name, for good. */
function Publish({ app_id, hash }: { app_id: number; hash: string }) {
  const texts = useTexts()
  const { catalogue: t } = texts
  const [name, setName] = useState('')
  const going = useMutation({
    mutationFn: () => publish(app_id, { name: name.trim(), hash }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: versionsOf(app_id).queryKey })
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() !== '') going.mutate()
      }}
    >
      <Stack gap="xs">
        <Group gap="xs" align="flex-end">
          <TextInput
            size="xs"
            label={t.versionName(shortHash(hash))}
            description={t.publishHelp}
            placeholder="1.0"
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button
            type="submit"
            size="xs"
            variant="default"
            loading={going.isPending}
            disabled={name.trim() === ''}
          >
            {t.publish}
          </Button>
        </Group>
        {going.error && <Fault text={refusal(going.error, 'edge/app/update', texts)} />}
      </Stack>
    </form>
  )
}
