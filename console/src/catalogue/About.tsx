import { Anchor, Badge, Group, Stack, Text } from '@mantine/core'
import type { EdgeApp } from '../app/types.ts'
import { useTexts } from '../texts/texts.ts'
import { isWebAddress } from './draft.ts'

/** What the publisher says of an app. */
export function About({ app }: { app: EdgeApp }) {
  const { apps, catalogue: t } = useTexts()
  const { short_description, description, category, tags, source_url } = app
  return (
    <Stack gap="sm" className="app-text">
      <Group gap="xs">
        <Text className="muted">{apps.by(app.publisher.name)}</Text>
        {app.official && (
          <Badge variant="light" color="gray">
            {apps.official}
          </Badge>
        )}
        {category !== '' && <Text className="muted">{category}</Text>}
      </Group>
      {short_description !== '' && <Text fw={600}>{short_description}</Text>}
      {description !== '' && <Text>{description}</Text>}
      {tags.length > 0 && (
        <Text className="muted">
          {t.fields.tags}: {tags.join(', ')}
        </Text>
      )}
      {isWebAddress(source_url) ? (
        <Anchor href={source_url} target="_blank" rel="noreferrer">
          {source_url}
        </Anchor>
      ) : (
        source_url !== '' && <Text className="muted">{source_url}</Text>
      )}
    </Stack>
  )
}
