import '../connect/connect.css'
import '../gateway/gateway.css'
import { Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Part } from '../frame/Part.tsx'
import { Problem } from '../frame/Problem.tsx'
import { BridgeText } from '../gateway/BridgeText.tsx'
import { Credential } from '../gateway/Credential.tsx'
import { State } from '../gateway/State.tsx'
import { freshness, installations, rights } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'

/** The gateway of an installation: whether it is there, and how it signs in. */
export function GatewayPage() {
  const { gatewayPage: t } = useTexts()
  const { id } = useParams({ from: '/frame/installations/$id/gateway' })
  const installation = useQuery(installations).data?.find((one) => one.id === id)
  const may = useQuery(rights(id))
  const fresh = useQuery(freshness).data?.find(({ installation_id }) => installation_id === id)
  if (may.isLoadingError) return <Problem error={may.error} again={() => void may.refetch()} />
  if (!may.data || !installation) return <Skeleton h={420} radius={12} />
  const { name, client_id } = installation
  const maySeeCertificates =
    may.data['certificate/issue'] === true || may.data['certificate/revoke'] === true
  return (
    <Stack gap="md" maw={860}>
      <Text className="muted" maw={620}>
        {t.help}
      </Text>
      <State
        installation={installation}
        mayRead={may.data['status/read'] === true}
        mayList={may.data['schedule/list'] === true}
      />
      <Credential
        {...{ id, name }}
        isKnown={fresh?.gateway !== undefined}
        mayMake={may.data['installation/update'] === true}
        mayReset={may.data['gateway/reset/password'] === true}
      />
      <Part title={t.bridge} help={t.bridgeHelp}>
        <BridgeText clientId={client_id} password={undefined} />
      </Part>
      {maySeeCertificates && (
        <Part title={t.certificates} help={t.certificatesHelp}>
          <Link className="link" to="/installations/$id/connect" params={{ id }}>
            {t.toCertificates}
          </Link>
        </Part>
      )}
    </Stack>
  )
}
