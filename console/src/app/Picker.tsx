import { Badge, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Problem } from '../frame/Problem.tsx'
import { useTexts } from '../texts/texts.ts'
import { edgeApps } from './api.ts'
import { foundApps } from './found.ts'

const MAX_SHOWN = 50

/** Chooses an app of the catalogue to install. */
export function Picker() {
  const { apps: t } = useTexts()
  const [text, setText] = useState('')
  const all = useQuery(edgeApps)
  if (all.error) return <Problem error={all.error} again={() => void all.refetch()} />
  if (!all.data) return <Skeleton h={240} />
  if (all.data.length === 0) return <Text>{t.emptyCatalogue}</Text>
  const found = foundApps(all.data, text)
  return (
    <Stack gap="sm">
      <TextInput
        label={t.find}
        value={text}
        data-autofocus
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {found.length === 0 && <Text>{t.noneMatch}</Text>}
      <Stack component="ul" className="apps" gap="xs">
        {found.slice(0, MAX_SHOWN).map((app) => (
          <li key={app.id} className="panel app-line">
            <Group gap="xs">
              <Link
                from="/installations/$id/apps"
                search={{ app: app.id }}
                className="open"
                preload={false}
              >
                {app.name}
              </Link>
              {app.official && (
                <Badge variant="light" color="gray">
                  {t.official}
                </Badge>
              )}
            </Group>
            <Text className="muted">{t.by(app.publisher.name)}</Text>
            {app.short_description !== '' && <Text>{app.short_description}</Text>}
          </li>
        ))}
      </Stack>
      {found.length > MAX_SHOWN && (
        <Text className="muted">{t.more(found.length - MAX_SHOWN)}</Text>
      )}
    </Stack>
  )
}
