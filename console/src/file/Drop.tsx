import { Button, FileButton, Group, Text } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { type DragEvent, useState } from 'react'
import { bytesText } from '../bytes.ts'
import type { Owner } from '../frame/owner.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { MAX_FILE } from './names.ts'
import { startUploads } from './uploads.ts'

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files')

/** Where files are dropped or chosen. */
export function Drop({ owner }: { owner: Owner }) {
  const { files: t } = useTexts()
  const locale = useLocale()
  const [isOver, setOver] = useState(false)
  return (
    <section
      className={isOver ? 'drop over' : 'drop'}
      aria-label={t.upload}
      onDragOver={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        startUploads(owner, [...event.dataTransfer.files])
      }}
    >
      <Group gap="sm">
        <FileButton multiple onChange={(files) => startUploads(owner, files)}>
          {(props) => (
            <Button {...props} leftSection={<IconUpload size={16} aria-hidden />}>
              {t.upload}
            </Button>
          )}
        </FileButton>
        <Text className="muted">{t.drop(bytesText(MAX_FILE, locale))}</Text>
      </Group>
    </section>
  )
}
