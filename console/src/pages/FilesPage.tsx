import '../file/file.css'
import { Button, Group, SegmentedControl, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useBlocker, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { bytesText } from '../bytes.ts'
import { filesOf } from '../file/api.ts'
import { Drop } from '../file/Drop.tsx'
import { FileLines, type May } from '../file/FileLines.tsx'
import { shownFiles } from '../file/names.ts'
import type { FilesSearch } from '../file/search.ts'
import { UploadList } from '../file/UploadList.tsx'
import { hasOpen } from '../file/uploads.ts'
import type { Owner } from '../frame/owner.ts'
import { Problem } from '../frame/Problem.tsx'
import { installations, me, permissions, rights } from '../queries.ts'
import { usage } from '../site/api.ts'
import { useLocale, useTexts } from '../texts/texts.ts'

/** A file owner, and what the caller may do with its files. */
type Place = { owner: Owner; may: May }

/** Files of the installation, and of its organization. */
export function FilesPage() {
  const { files: t } = useTexts()
  const { id } = useParams({ from: '/frame/installations/$id/files' })
  const search = useSearch({ from: '/frame/installations/$id/files' })
  const navigate = useNavigate({ from: '/installations/$id/files' })
  const set = (search: FilesSearch) => void navigate({ search, replace: true, resetScroll: false })
  const own = useOwnPlace(id)
  const above = usePlaceAbove(id)
  // Other pages of the console do not stop an upload. To close the window does.
  useBlocker({ shouldBlockFn: () => false, enableBeforeUnload: hasOpen })
  const place = search.of ? above : own
  return (
    <Stack gap="md">
      {(above || search.of) && (
        <SegmentedControl
          aria-label={t.view}
          style={{ alignSelf: 'flex-start' }}
          value={search.of ?? 'installation'}
          onChange={(of) => set({ of: of === 'organization' ? 'organization' : undefined })}
          data={[
            { value: 'installation', label: t.own },
            { value: 'organization', label: t.above }
          ]}
        />
      )}
      <Text className="muted" maw={620}>
        {search.of ? t.helpAbove : t.help}
      </Text>
      {place ? (
        <Files key={place.owner.kind} {...{ id, place, search, set }} />
      ) : (
        <Skeleton h={240} radius={12} />
      )}
    </Stack>
  )
}

function useOwnPlace(id: number): Place | undefined {
  const may = useQuery(rights(id)).data
  return (
    may && {
      owner: { kind: 'installation', id },
      may: {
        add: may['file/create_delete'] === true,
        update: may['file/update'] === true,
        delete: may['file/create_delete'] === true,
        download: may['file/download'] === true
      }
    }
  )
}

/** Undefined: the caller sees no files of the organization. */
function usePlaceAbove(id: number): Place | undefined {
  const organization = useQuery(installations).data?.find((one) => one.id === id)?.organization_id
  const may = useQuery(permissions).data
  const isMember = useQuery(me).data?.organisations.includes(organization ?? 0) === true
  const mayEdit = may?.['file/update/organization'] === true
  const has = (action: string) =>
    mayEdit || may?.[`${action}/all`] === true || (isMember && may?.[`${action}/assigned`] === true)
  const owner = { kind: 'organization', id: organization ?? 0 } as const
  const mayAsk = organization !== undefined && has('file/list')
  const { error } = useQuery({ ...filesOf(owner), enabled: mayAsk })
  if (!mayAsk || error) return undefined
  return {
    owner,
    may: { add: mayEdit, update: mayEdit, delete: mayEdit, download: has('file/download') }
  }
}

const PAGE = 100

type FilesProps = {
  id: number
  place: Place
  search: FilesSearch
  set: (search: FilesSearch) => void
}

function Files({ id, place: { owner, may }, search, set }: FilesProps) {
  const { files: t } = useTexts()
  const locale = useLocale()
  const { data, error, refetch } = useQuery(filesOf(owner))
  const { text = '', page = 1 } = search
  const shown = shownFiles(data ?? [], text, locale)
  const isAbove = owner.kind === 'organization'
  if (error) return <Problem error={error} again={() => void refetch()} />
  if (!data) return <Skeleton h={240} radius={12} />
  return (
    <>
      {may.add && <Drop owner={owner} />}
      {isAbove && !may.add && data.length > 0 && <Text className="muted">{t.lookOnly}</Text>}
      <UploadList owner={owner} />
      {data.length === 0 ? (
        <Stack className="panel" p="lg" gap="xs">
          <Text fw={600}>{t.empty}</Text>
          <Text className="muted">
            {may.add ? t.emptyHelp : isAbove ? t.emptyAskAbove : t.emptyAsk}
          </Text>
        </Stack>
      ) : (
        <>
          <Group justify="space-between" gap="sm">
            <TextInput
              className="grows"
              miw={240}
              aria-label={t.filter}
              placeholder={t.filter}
              value={text}
              onChange={({ currentTarget: { value } }) =>
                set({ ...search, page: undefined, text: value || undefined })
              }
            />
            <Used owner={owner} count={data.length} />
          </Group>
          {!may.download && <Text className="muted">{t.mayNotDownload}</Text>}
          {shown.length === 0 ? (
            <Text>{t.noneMatch}</Text>
          ) : (
            <FileLines
              {...{ id, owner, may }}
              files={shown.slice((page - 1) * PAGE, page * PAGE)}
            />
          )}
          {shown.length > PAGE && <Pages {...{ search, set }} total={shown.length} />}
        </>
      )}
    </>
  )
}

/** How many files there are, and how much of the room they take. */
function Used({ owner, count }: { owner: Owner; count: number }) {
  const { files: t } = useTexts()
  const locale = useLocale()
  const isOwn = owner.kind === 'installation'
  const bytes = useQuery({ ...usage(owner.id), enabled: isOwn }).data?.file_bytes
  const files = t.count(count, count.toLocaleString(locale))
  if (!isOwn || !bytes) return <Text className="muted">{files}</Text>
  const used = bytesText(bytes.used, locale)
  return (
    <Text className="muted">
      {t.used(files, bytes.quota === null ? used : t.usedOf(used, bytesText(bytes.quota, locale)))}
    </Text>
  )
}

function Pages({ search, set, total }: Pick<FilesProps, 'search' | 'set'> & { total: number }) {
  const { files: t } = useTexts()
  const locale = useLocale()
  const { page = 1 } = search
  const before = (page - 1) * PAGE
  const text = (n: number) => Math.min(n, total).toLocaleString(locale)
  const go = (next: number) => {
    set({ ...search, page: next === 1 ? undefined : next })
    scrollTo({ top: 0 })
  }
  return (
    <Group component="nav" aria-label={t.pages} gap="sm">
      <Button variant="default" disabled={page === 1} onClick={() => go(page - 1)}>
        {t.previous}
      </Button>
      <Text className="muted" role="status">
        {t.shown(text(before + 1), text(before + PAGE), text(total))}
      </Text>
      <Button variant="default" disabled={before + PAGE >= total} onClick={() => go(page + 1)}>
        {t.next}
      </Button>
    </Group>
  )
}
