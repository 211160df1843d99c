import { Button } from '@mantine/core'
import { download } from '../plot/download.ts'
import { useTexts } from '../texts/texts.ts'

/** Saves the text as a file. */
export function Download({ name, text }: { name: string; text: string }) {
  const { gatewayPage: t } = useTexts()
  return (
    <Button size="xs" variant="default" onClick={() => download(name, new Blob([`${text}\n`]))}>
      {t.download}
    </Button>
  )
}
