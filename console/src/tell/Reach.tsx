import { Button, Group, Text } from '@mantine/core'
import { IconBellOff, IconMail } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Severity, severities } from '../alarm/api.ts'
import { Fault, refusal } from '../modelx/Details.tsx'
import { queryClient, rights } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { recipients, settings, store } from './api.ts'

/** Of these nobody is told on the installation, as far as it is known. */
export function useUnheard(id: number): readonly Severity[] {
  const enabled = useQuery(rights(id)).data?.['rule/list'] === true
  const { data } = useQuery({ ...recipients(id), enabled })
  return data ? severities.filter((one) => data[one] === 0) : []
}

type Props = { id: number; text: string; missing: readonly Severity[] }

/** Says that nobody is told, with one click to change it. */
export function NobodyTold({ id, text, missing }: Props) {
  const texts = useTexts()
  const t = texts.tell.reach
  const may = useQuery(rights(id)).data
  const listen = useMutation({
    mutationFn: () => beTold(missing),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: recipients(id).queryKey })
  })
  if (missing.length === 0) {
    return (
      <Text role="status" className={listen.isSuccess ? 'muted' : 'unseen'}>
        {listen.isSuccess && t.told}
      </Text>
    )
  }
  return (
    <div className="panel unheard" role="status">
      <Group gap="xs" wrap="nowrap">
        <IconBellOff size={18} aria-hidden style={{ flex: 'none' }} />
        <Text fw={600}>{text}</Text>
      </Group>
      {may && !may['alarm/list'] && <Text className="muted">{t.needsList}</Text>}
      {may?.['alarm/list'] && (
        <Group gap="8px 16px">
          <Button
            size="xs"
            leftSection={<IconMail size={16} aria-hidden />}
            loading={listen.isPending}
            onClick={() => listen.mutate()}
          >
            {t.tellMe}
          </Button>
          <Link to="/settings" className="link">
            {t.toSettings}
          </Link>
        </Group>
      )}
      {listen.error && <Fault text={refusal(listen.error, 'user/update', texts)} />}
    </div>
  )
}

/** Adds to what the caller has chosen before, maybe on another page. */
async function beTold(missing: readonly Severity[]): Promise<void> {
  const before = await queryClient.fetchQuery({ ...settings, staleTime: 0 })
  const stored = await store({
    ...before,
    severities: [...new Set([...before.severities, ...missing])],
    channels: [...new Set([...before.channels, 'mail' as const])]
  })
  queryClient.setQueryData(settings.queryKey, stored)
}

/** Of the rule that is being written. */
export function ReachOfRule({ id, severity }: { id: number; severity: Severity }) {
  const { tell: t, alarm } = useTexts()
  const enabled = useQuery(rights(id)).data?.['rule/list'] === true
  const { data } = useQuery({ ...recipients(id), enabled })
  if (!data) return null
  const count = data[severity]
  return (
    <>
      <NobodyTold
        id={id}
        text={t.reach.draft(alarm.severities[severity])}
        missing={count === 0 ? [severity] : []}
      />
      {count > 0 && <Text className="muted">{t.reach.some(count)}</Text>}
    </>
  )
}
