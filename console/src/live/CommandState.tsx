import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useStore } from '../store.ts'
import { useLanguage, useTexts } from '../texts/texts.ts'
import { ANSWER_WITHIN_MS, type Command, type Commands } from './commands.ts'
import type { Asked } from './control.ts'
import { type Row, shownValue } from './shown.ts'

const colors = {
  sending: 'var(--muted)',
  sent: 'var(--muted)',
  blind: 'var(--muted)',
  confirmed: 'var(--good)',
  different: 'var(--warning)',
  silent: 'var(--warning)',
  failed: 'var(--bad)',
  lost: 'var(--bad)',
  refused: 'var(--bad)',
  answered: 'var(--good)',
  unanswered: 'var(--warning)'
}

/** More does not fit beside a control. */
const MAX_ANSWER_CHARACTERS = 60

function useAskedText() {
  const language = useLanguage()
  return ({ value, msg }: Asked, { meta }: Row): string => {
    if (msg !== undefined) return msg
    const { text, unit } = shownValue(value, meta, language)
    return unit ? `${text} ${unit}` : text
  }
}

function useCommandText() {
  const { control: t } = useTexts()
  const language = useLanguage()
  const askedText = useAskedText()
  const time = new Intl.DateTimeFormat(language, { timeStyle: 'medium' })
  const answeredText = ({ asked, answer, text = '' }: Command, row: Row): string => {
    if (!answer) return text.slice(0, MAX_ANSWER_CHARACTERS)
    const { value, msg } = answer
    return askedText(asked.msg === undefined ? { value } : { value, msg }, row)
  }
  return (command: Command, row: Row): string => {
    const { state, at, answer, reason = '' } = command
    if (state === 'answered') return t.answered(answeredText(command, row))
    if (state === 'unanswered') return t.unanswered(ANSWER_WITHIN_MS / 1000)
    if (state === 'different' && answer) return t.different(answeredText(command, row))
    if (state === 'silent') return t.silent(time.format(at))
    if (state === 'refused') return t.refused(reason)
    return t[state as 'sent']
  }
}

/** What became of a command, under its control. */
export function CommandState({ row, command }: { row: Row; command: Command }) {
  const text = useCommandText()(command, row)
  return (
    <span className="command" title={text} style={{ color: colors[command.state] }}>
      {text}
    </span>
  )
}

/** Tells a screen reader what became of the last command, and asks before some are sent. */
export function CommandNews({ commands }: { commands: Commands }) {
  const { control: t } = useTexts()
  const news = useStore(commands.news)
  const question = useStore(commands.question)
  const commandText = useCommandText()
  const askedText = useAskedText()
  const close = () => commands.question.set(undefined)
  const send = () => {
    close()
    if (question) void commands.send(question.row, question.asked)
  }
  return (
    <>
      <div aria-live="polite" className="unseen">
        {news && `${news.row.name}: ${commandText(news.command, news.row)}`}
      </div>
      <Modal
        opened={question !== undefined}
        onClose={close}
        title={question?.row.name}
        closeButtonProps={{ 'aria-label': t.cancel }}
        centered
      >
        {question && (
          <Stack>
            <Text>{question.row.meta.confirm}</Text>
            <Text className="value">{askedText(question.asked, question.row)}</Text>
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {t.cancel}
              </Button>
              <Button onClick={send} data-autofocus>
                {t.send}
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  )
}
