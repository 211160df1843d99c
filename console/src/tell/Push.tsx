import { Button, Text } from '@mantine/core'
import { IconBellPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Fault, refusal } from '../modelx/Details.tsx'
import { type Texts, useLocale, useTexts } from '../texts/texts.ts'
import { push } from './api.ts'
import {
  beToldHere,
  canPush,
  forgetBrowser,
  NoPushService,
  NotAllowed,
  ownId
} from './this-browser.ts'

/** The browsers that are told. They are added and removed at once, without the form. */
export function Push() {
  const texts = useTexts()
  const t = texts.tell
  const { data } = useQuery(push)
  const add = useMutation({ mutationFn: () => beToldHere(data?.public_key ?? '') })
  const remove = useMutation({ mutationFn: forgetBrowser })
  const fault = add.error ?? remove.error
  if (!data) return null
  const isHere = data.subscriptions.some(({ id }) => id === ownId())
  return (
    <>
      <Browsers
        list={data.subscriptions}
        busy={remove.isPending ? remove.variables : undefined}
        remove={(id) => {
          add.reset()
          remove.mutate(id)
        }}
      />
      {!canPush() && <Text className="muted">{t.cannotPush}</Text>}
      {canPush() && !isHere && (
        <Button
          variant="default"
          style={{ alignSelf: 'start', justifySelf: 'start' }}
          leftSection={<IconBellPlus size={16} aria-hidden />}
          loading={add.isPending}
          onClick={() => {
            remove.reset()
            add.mutate()
          }}
        >
          {t.addThis}
        </Button>
      )}
      {fault && <Fault text={faultText(fault, texts)} />}
    </>
  )
}

function faultText(error: Error, texts: Texts): string {
  if (error instanceof NotAllowed) return texts.tell.notAllowed
  if (error instanceof NoPushService) return texts.tell.noPushService
  return refusal(error, 'user/update', texts)
}

type BrowsersProps = {
  list: readonly { id: number; endpoint: string; created: number }[]
  busy: number | undefined
  remove: (id: number) => void
}

function Browsers({ list, busy, remove }: BrowsersProps) {
  const { tell: t } = useTexts()
  const format = new Intl.DateTimeFormat(useLocale(), { dateStyle: 'medium' })
  if (list.length === 0) return <Text className="muted">{t.noBrowser}</Text>
  return (
    <ul className="browsers" aria-label={t.browsers}>
      {list.map(({ id, endpoint, created }) => {
        const name = id === ownId() ? t.thisBrowser : t.browser(new URL(endpoint).host)
        const day = format.format(created * 1000)
        return (
          <li key={id}>
            <span>
              {name} <span className="muted">{t.added(day)}</span>
            </span>
            <Button
              variant="subtle"
              size="compact-sm"
              loading={busy === id}
              aria-label={t.removeNamed(name, day)}
              onClick={() => remove(id)}
            >
              {t.remove}
            </Button>
          </li>
        )
      })}
    </ul>
  )
}
