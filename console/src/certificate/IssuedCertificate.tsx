import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { Paste } from '../connect/Paste.tsx'
import { download } from '../plot/download.ts'
import { useTexts } from '../texts/texts.ts'
import type { Issued } from './api.ts'

const save = (name: string, text: string) =>
  download(name, new Blob([text], { type: 'application/x-pem-file' }))

/** The certificate and its key, which nobody can see again. */
export function IssuedCertificate({
  issued,
  onClose
}: {
  issued: Issued | undefined
  onClose: () => void
}) {
  const { certificate: t } = useTexts()
  const key = issued?.private_key
  return (
    <Modal
      opened={issued !== undefined}
      onClose={onClose}
      title={t.issued}
      size="lg"
      // A click beside it must not lose the key.
      closeOnClickOutside={key === undefined}
      closeOnEscape={key === undefined}
      withCloseButton={key === undefined}
      closeButtonProps={{ 'aria-label': t.closePlain }}
      centered
    >
      {issued && (
        <Stack>
          {key !== undefined && (
            <>
              <div className="note">
                <Text fw={600}>{t.onceTitle}</Text>
                <Text>{t.once}</Text>
              </div>
              <Part label={t.key} text={key} file={`${fileName(issued)}-key.pem`} />
            </>
          )}
          <Part label={t.certificate} text={issued.certificate} file={`${fileName(issued)}.pem`} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{key === undefined ? t.closePlain : t.close}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function Part({ label, text, file }: { label: string; text: string; file: string }) {
  const { certificate: t } = useTexts()
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Text fw={600}>{label}</Text>
        <Button size="xs" variant="default" onClick={() => save(file, text)}>
          {t.download}
        </Button>
      </Group>
      <Paste label={label} text={text} />
    </Stack>
  )
}

const fileName = ({ name, id }: Issued): string =>
  `${name.replaceAll(/[^A-Za-z0-9._-]+/g, '_').slice(0, 60)}-${id}`
