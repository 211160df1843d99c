import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { SidePanel } from '../frame/SidePanel.tsx'
import { useStore } from '../store.ts'
import { useTexts } from '../texts/texts.ts'
import { messages, outputs } from './api.ts'
import { outputDrafts } from './drafts.ts'
import { MessageEditor } from './MessageEditor.tsx'
import { OutputEditor } from './OutputEditor.tsx'
import { TestSend } from './TestSend.tsx'
import type { Output } from './types.ts'

type Props = {
  installation_id: number
  search: { message?: number; output?: number; add?: 'message' | 'output' }
  close: () => void
  may: (name: string) => boolean
}

/** The message or the output that is open. */
export function Panel({ installation_id, search, close, may }: Props) {
  const { notifications: t } = useTexts()
  const isOutput = search.output !== undefined || search.add === 'output'
  const isOpen = isOutput || search.message !== undefined || search.add === 'message'
  const list = useQuery({ ...messages(installation_id), enabled: isOpen && !isOutput })
  const all = useQuery({ ...outputs(installation_id), enabled: isOutput })
  const message = list.data?.find(({ id }) => id === search.message)
  const output = all.data?.find(({ id }) => id === search.output)
  const named = isOutput ? output && (output.name || t.outputNumber(output.id)) : message?.name
  const created = isOutput ? t.createOutput : t.createMessage
  const isKnown = isOutput ? all.data : list.data
  const kind = isOutput ? 'output' : 'message'
  const rights = (isNew: boolean) => ({
    save: may(`${kind}/${isNew ? 'create_delete' : 'update'}`),
    delete: may(`${kind}/create_delete`)
  })
  const shared = { installation_id, may: rights(search.add !== undefined), done: close }
  return (
    <SidePanel {...{ isOpen, close }} size={640} title={search.add ? created : (named ?? t.title)}>
      {!search.add && !isKnown ? (
        <Skeleton h={300} />
      ) : !search.add && named === undefined ? (
        <Text role="alert">{t.notThere}</Text>
      ) : isOutput ? (
        <>
          <OutputEditor key={`output ${output?.id}`} {...shared} output={output} />
          {output && <Sending output={output} maySend={may('output/send')} />}
        </>
      ) : (
        <MessageEditor key={`message ${message?.id}`} {...shared} message={message} />
      )}
    </SidePanel>
  )
}

function Sending({ output, maySend }: { output: Output; maySend: boolean }) {
  const hasDraft = useStore(outputDrafts.store) !== undefined
  return <TestSend key={output.id} {...{ output, maySend, hasDraft }} />
}
