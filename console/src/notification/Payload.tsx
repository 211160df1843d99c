import { Select, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { nameOf } from '../modelx/rows.ts'
import { functions, newest, queryClient, rights } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { payloadOf, readPayload } from './payload.ts'

type Props = { installation_id: number; text: string; change: (text: string) => void }

/** The JSON object that templates know as `.payload`: typed, or the newest value of a function. */
export function Payload({ installation_id, text, change }: Props) {
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
    const { topic_read = '' } = model.meta
    const value = await queryClient
      .fetchQuery({ ...newest(installation_id, topic_read), staleTime: 0 })
      .catch(() => null)
    if (value) change(payloadOf(nameOf(model), value))
    else setFault(t.noValueYet)
  }
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
