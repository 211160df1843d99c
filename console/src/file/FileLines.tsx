import { ActionIcon, Button, Menu, Text } from '@mantine/core'
import { IconDots, IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Owner } from '../frame/owner.ts'
import { Fault, refusal } from '../modelx/Details.tsx'
import { download } from '../plot/download.ts'
import { useTexts } from '../texts/texts.ts'
import { useMoment } from '../time.ts'
import { contentOf, type StoredFile } from './api.ts'
import { type Asked, Questions } from './Questions.tsx'

export type May = { add: boolean; update: boolean; delete: boolean; download: boolean }
type Props = { id: number; owner: Owner; files: readonly StoredFile[]; may: May }

/** Files with what can be done with each. */
export function FileLines({ id, owner, files, may }: Props) {
  const texts = useTexts()
  const { files: t } = texts
  const [asked, ask] = useState<Asked>()
  const chooser = useRef<HTMLInputElement>(null)
  const [replaced, setReplaced] = useState<StoredFile>()
  const load = useMutation({
    mutationFn: async (file: StoredFile) => download(file.name, await contentOf(file))
  })
  return (
    <>
      {load.error && <Fault text={refusal(load.error, 'file/download', texts)} />}
      <ul className="panel files" aria-label={t.title}>
        {files.map((file) => (
          <Line
            key={file.id}
            {...{ id, file, may, ask }}
            isLoading={load.isPending && load.variables.id === file.id}
            load={() => load.mutate(file)}
            replace={() => {
              setReplaced(file)
              chooser.current?.click()
            }}
          />
        ))}
      </ul>
      <input
        ref={chooser}
        type="file"
        hidden
        aria-label={t.replace}
        onChange={({ currentTarget }) => {
          const [by] = currentTarget.files ?? []
          if (by && replaced) ask({ is: 'replace', file: replaced, by })
          // The same file can be chosen again.
          currentTarget.value = ''
        }}
      />
      <Questions owner={owner} asked={asked} close={() => ask(undefined)} />
    </>
  )
}

type LineProps = {
  id: number
  file: StoredFile
  may: May
  isLoading: boolean
  load: () => void
  replace: () => void
  ask: (asked: Asked) => void
}

function Line({ id, file, may, isLoading, load, replace, ask }: LineProps) {
  const { files: t } = useTexts()
  const moment = useMoment(id)
  const { name, mime, updated } = file
  return (
    <li className="file">
      <div className="file-name">
        <Text fw={600}>{name}</Text>
        <Text className="muted" size="sm">
          {mime}
        </Text>
      </div>
      <Text className="muted file-time" size="sm">
        {t.changed(moment(updated))}
      </Text>
      <div className="file-actions">
        {may.download && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
            aria-label={t.downloadNamed(name)}
            loading={isLoading}
            onClick={load}
          >
            {t.download}
          </Button>
        )}
        {(may.update || may.delete) && (
          <Menu withInitialFocusPlaceholder={false} position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" size={30} aria-label={t.more(name)}>
                <IconDots size={16} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {may.update && <Menu.Item onClick={replace}>{t.replace}</Menu.Item>}
              {may.update && may.download && (
                <Menu.Item onClick={() => ask({ is: 'rename', file })}>{t.rename}</Menu.Item>
              )}
              {may.delete && (
                <Menu.Item c="var(--bad)" onClick={() => ask({ is: 'delete', file })}>
                  {t.delete}
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        )}
      </div>
    </li>
  )
}
