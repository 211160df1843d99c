import { Radio, Stack, TextInput } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'
import type { Prefix } from './prefix.ts'

type Props = { prefix: Prefix; onChange: (prefix: Prefix) => void }

/** Who uses a certificate or a credential: the gateway, or a device below a prefix. */
export function MountFields({ prefix, onChange }: Props) {
  const { certificate: t } = useTexts()
  return (
    <>
      <Radio.Group
        label={t.who}
        value={prefix === undefined ? 'gateway' : 'device'}
        onChange={(value) => onChange(value === 'device' ? 'dev' : undefined)}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="gateway" label={t.whoGateway} />
          <Radio value="device" label={t.whoDevice} />
        </Stack>
      </Radio.Group>
      {prefix !== undefined && (
        <TextInput
          label={t.prefix}
          required
          value={prefix}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </>
  )
}
