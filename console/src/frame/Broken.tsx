import { Button, Stack, Text } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { useTexts } from '../texts/texts.ts'
import { PageGone } from './page.ts'

/** A page that cannot be shown. After a new version was installed, old files are gone. */
export function Broken({ error }: ErrorComponentProps) {
  const { error: t } = useTexts()
  const isOld = error instanceof PageGone
  return (
    <Stack className="panel" p="lg" m="md" align="flex-start" role="alert">
      <Text fw={600}>{isOld ? t.newVersion : t.title}</Text>
      <Text>{isOld ? t.newVersionHelp : String(error)}</Text>
      <Button variant="light" onClick={() => location.reload()}>
        {t.reload}
      </Button>
    </Stack>
  )
}
