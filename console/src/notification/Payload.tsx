import { Select, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Model } from '../modelx/api.ts'
import { nameOf } from '../modelx/rows.ts'
import { functions, newest, queryClient, rights } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { examplePayload, payloadOf, readPayload } from './payload.ts'

type Props = {
  installation_id: number
  text: string
  change: (text: string) => void
  /** Begins with the newest value of a function. */
  isFilled?: boolean
}

/** The JSON object that templates know as `.payload`: typed, or the newest value of a function. */
export function Payload({ installation_id, text, change, isFilled = false }: Props) {
  const { notifications: t } = useTexts()
  const [chosen, setChosen] = useState<string | null>(null)
  const [fault, setFault] = useState('')
  const mayRead = useQuery(rights(installation_id)).data?.['status/read'] === true
  const { data = [] } = useQuery(functions(installation_id))
  const read = data.filter(({ meta }) => meta.topic_read)
  const choose = async (id: string | null) => {
    setChosen(id)
    setFault('')
    const model = read.find((one) => String(one.id) === id)
    if (!model) return
    const payload = await newestPayload(installation_id, model)
    if (payload) change(payload)
    else setFault(t.noValueYet)
  }
  const first = isFilled && mayRead ? read[0] : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: only until somebody types or chooses
  useEffect(() => {
    if (!first || text !== examplePayload) return
    void newestPayload(installation_id, first).then((payload) => {
      if (!payload) return
      setChosen(String(first.id))
      change(payload)
    })
  }, [first?.id])
  return (
    <>
      {mayRead && read.length > 0 && (
        <Select
          label={t.valueOfFunction}
          placeholder={t.chooseFunction}
          data={read.map((one) => ({ value: String(one.id), label: nameOf(one) }))}
          value={chosen}
          searchable
          limit={100}
          error={fault}
          comboboxProps={{ zIndex: 400 }}
          onChange={(id) => void choose(id)}
        />
      )}
      <Textarea
        label={t.payload}
        description={t.payloadHelp}
        classNames={{ input: 'template' }}
        autosize
        minRows={2}
        maxRows={12}
        value={text}
        error={readPayload(text) ? undefined : t.payloadWrong}
        onChange={(event) => change(event.currentTarget.value)}
      />
    </>
  )
}

async function newestPayload(installation_id: number, model: Model): Promise<string | undefined> {
  const { topic_read = '' } = model.meta
  const value = await queryClient
    .fetchQuery({ ...newest(installation_id, topic_read), staleTime: 0 })
    .catch(() => null)
  return value ? payloadOf(nameOf(model), value) : undefined
}
