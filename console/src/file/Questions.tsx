import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { bytesText } from '../bytes.ts'
import type { Owner } from '../frame/owner.ts'
import { Fault, refusal } from '../modelx/Details.tsx'
import { useLocale, useTexts } from '../texts/texts.ts'
import { askAgain, contentOf, remove, replace, type StoredFile } from './api.ts'
import { isFileName } from './names.ts'
import { startUploads } from './uploads.ts'

/** What is asked about a file. */
export type Asked =
  | { is: 'rename' | 'delete'; file: StoredFile }
  | { is: 'replace'; file: StoredFile; by: File }

type Props = { owner: Owner; asked: Asked | undefined; close: () => void }

export function Questions({ owner, asked, close }: Props) {
  if (!asked) return null
  const { file } = asked
  if ('by' in asked) return <Replace {...{ owner, file, close }} by={asked.by} />
  if (asked.is === 'rename') return <Rename {...{ owner, file, close }} />
  return <Delete {...{ owner, file, close }} />
}

type QuestionProps = { owner: Owner; file: StoredFile; close: () => void }
type FrameProps = { title: string; close: () => void; children: ReactNode }

function Question({ title, close, children }: FrameProps) {
  const { files: t } = useTexts()
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      centered
      closeButtonProps={{ 'aria-label': t.cancel }}
      classNames={{ title: 'drawer-title' }}
    >
      <Stack>{children}</Stack>
    </Modal>
  )
}

/** What a refused change of a file of this owner lacks. */
const neededBy = ({ kind }: Owner, action: string): string =>
  kind === 'installation' ? action : 'file/update/organization'

function Delete({ owner, file, close }: QuestionProps) {
  const texts = useTexts()
  const { files: t } = texts
  const work = useMutation({
    mutationFn: () => remove(owner, file.id),
    onSuccess: () => {
      askAgain(owner)
      close()
    }
  })
  return (
    <Question title={t.deleteTitle(file.name)} close={close}>
      <Text>{t.deleteHelp}</Text>
      {work.error && (
        <Fault text={refusal(work.error, neededBy(owner, 'file/create_delete'), texts)} />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={close} data-autofocus>
          {t.keep}
        </Button>
        <Button color="red" loading={work.isPending} onClick={() => work.mutate()}>
          {t.deleteGo}
        </Button>
      </Group>
    </Question>
  )
}

function Replace({ owner, file, by, close }: QuestionProps & { by: File }) {
  const { files: t } = useTexts()
  const locale = useLocale()
  return (
    <Question title={t.replaceTitle(file.name)} close={close}>
      <Text style={{ overflowWrap: 'anywhere' }}>
        {t.replaceHelp(by.name, bytesText(by.size, locale))}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={close} data-autofocus>
          {t.keep}
        </Button>
        <Button
          color="red"
          onClick={() => {
            startUploads(owner, [by], file.id)
            close()
          }}
        >
          {t.replaceGo}
        </Button>
      </Group>
    </Question>
  )
}

/** The platform takes the name from an upload, so the same content is sent with another name. */
function Rename({ owner, file, close }: QuestionProps) {
  const texts = useTexts()
  const { files: t } = texts
  const [name, setName] = useState(file.name)
  const work = useMutation({
    mutationFn: async () => {
      const content = await contentOf(file)
      const way = { signal: new AbortController().signal, shows: () => {} }
      await replace(owner, file.id, { content, name, way })
    },
    onSuccess: () => {
      askAgain(owner)
      close()
    }
  })
  const isGood = isFileName(name)
  return (
    <Question title={t.renameTitle(file.name)} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isGood) work.mutate()
        }}
      >
        <Stack>
          <TextInput
            label={t.newName}
            description={t.renameHelp}
            autoComplete="off"
            value={name}
            error={!isGood && t.nameWrong}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          {work.error && (
            <Fault text={refusal(work.error, neededBy(owner, 'file/update'), texts)} />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t.cancel}
            </Button>
            <Button type="submit" loading={work.isPending} disabled={!isGood || name === file.name}>
              {t.renameGo}
            </Button>
          </Group>
        </Stack>
      </form>
    </Question>
  )
}
