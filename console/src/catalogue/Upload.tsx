import { Button, FileButton, Group, Stack, Text, Title } from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { versionsOf } from '../app/api.ts'
import { shortHash } from '../app/versions.ts'
import { Fault, refusal } from '../modelx/Details.tsx'
import { queryClient } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { type Files, upload } from './api.ts'

const nothing: Files = { app_json: undefined, app_lua: undefined }

/** A new version from one or both of its files. */
export function Upload({ app_id }: { app_id: number }) {
  const texts = useTexts()
  const { catalogue: t } = texts
  const [files, setFiles] = useState(nothing)
  const going = useMutation({
    mutationFn: () => upload(app_id, files),
    onSuccess: async () => {
      setFiles(nothing)
      await queryClient.invalidateQueries({ queryKey: versionsOf(app_id).queryKey })
    }
  })
  const choose = (name: keyof Files, label: string, accept: string) => (
    <Group gap="xs">
      <FileButton
        accept={accept}
        onChange={(file) => {
          going.reset()
          setFiles({ ...files, [name]: file ?? undefined })
        }}
      >
        {(props) => (
          <Button
            {...props}
            variant="default"
            size="xs"
            leftSection={<IconFileUpload size={14} aria-hidden />}
          >
            {t.choose(label)}
          </Button>
        )}
      </FileButton>
      <Text className="muted app-text">{files[name]?.name ?? t.notChosen}</Text>
    </Group>
  )
  const isReady = files.app_json !== undefined || files.app_lua !== undefined
  return (
    <Stack component="section" gap="xs" aria-label={t.uploadTitle}>
      <Title order={2} size="h4">
        {t.uploadTitle}
      </Title>
      <Text className="muted">{t.uploadHelp}</Text>
      {choose('app_json', 'app.json', '.json,application/json')}
      {choose('app_lua', 'app.lua', '.lua,text/plain')}
      {going.error && <Fault text={refusal(going.error, 'edge/app/update', texts)} />}
      <Group gap="sm">
        <Button
          variant="default"
          loading={going.isPending}
          disabled={!isReady}
          onClick={() => going.mutate()}
        >
          {t.upload}
        </Button>
        <Text role="status">
          {going.isSuccess && (going.data ? t.uploaded(shortHash(going.data)) : t.sameFiles)}
        </Text>
      </Group>
    </Stack>
  )
}
