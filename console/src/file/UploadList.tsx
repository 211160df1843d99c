import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { bytesText } from '../bytes.ts'
import type { Owner } from '../frame/owner.ts'
import { refusal } from '../modelx/Details.tsx'
import { useStore } from '../store.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { MAX_FILE } from './names.ts'
import { clearUploads, stopUpload, type Upload, uploads } from './uploads.ts'

/** What is being uploaded here, and what came of it. */
export function UploadList({ owner }: { owner: Owner }) {
  const { files: t } = useTexts()
  const list = useStore(uploads).filter(
    (one) => one.owner.kind === owner.kind && one.owner.id === owner.id
  )
  if (list.length === 0) return null
  return (
    <section className="panel uploads" aria-label={t.uploads}>
      <ul>
        {list.map((one) => (
          <Line key={one.key} one={one} />
        ))}
      </ul>
      <Group>
        <Button size="xs" variant="default" onClick={clearUploads}>
          {t.clear}
        </Button>
      </Group>
    </section>
  )
}

function Line({ one }: { one: Upload }) {
  const { files: t } = useTexts()
  const words = useWords(one)
  const { is } = one.state
  const isOpen = is === 'waiting' || is === 'busy'
  const isBad = is === 'failed' || is === 'offline' || is === 'tooLarge'
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Stack gap={2} miw={0}>
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {one.name}
          </Text>
          <Text
            size="sm"
            role={isOpen ? undefined : 'status'}
            c={isBad ? 'var(--bad)' : 'var(--muted)'}
            style={{ overflowWrap: 'anywhere' }}
          >
            {words}
          </Text>
        </Stack>
        {isOpen && (
          <Button
            size="xs"
            variant="default"
            flex="none"
            aria-label={t.stop(one.name)}
            onClick={() => stopUpload(one.key)}
          >
            {t.cancel}
          </Button>
        )}
      </Group>
      {one.state.is === 'busy' && (
        <Progress
          mt={4}
          size="sm"
          aria-label={one.name}
          value={one.size === 0 ? 100 : Math.min((100 * one.state.sent) / one.size, 100)}
        />
      )}
    </li>
  )
}

function useWords({ size, state, owner }: Upload): string {
  const texts = useTexts()
  const { files: t } = texts
  const locale = useLocale()
  const total = bytesText(size, locale)
  if (state.is === 'busy') {
    // The form around the file has some bytes too.
    const isSent = state.sent >= size
    return isSent ? t.storing : t.sending(bytesText(state.sent, locale), total)
  }
  if (state.is === 'failed') {
    const permission =
      owner.kind === 'installation' ? 'file/create_delete, file/update' : 'file/update/organization'
    return t.failed(state.error.status === 404 ? t.gone : refusal(state.error, permission, texts))
  }
  if (state.is === 'tooLarge') return t.tooLarge(total, bytesText(MAX_FILE, locale))
  if (state.is === 'waiting') return t.waiting(total)
  return state.is === 'done' ? t.done(total) : t[state.is]
}
