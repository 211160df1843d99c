import type { Generated, Kysely } from 'kysely'
import type { Severity } from '../lib/alarm/rule.ts'
import type { IdKind } from '../lib/lineage.ts'

/** A handle or a transaction. A transaction shadows the name, so the handle is out of reach. */
export type Registry = Kysely<Tables>

export type Flag = 0 | 1

type MetaTable<Owner extends string> = { [column in Owner]: number } & {
  key: string
  value: string
  protected: Flag
  /** Lower case, for filters. The engines fold letters differently, so we fold them ourselves. */
  key_folded: string
  value_folded: string
}

/** Tables that several rooms share. A room adds its own in its `tables.ts`. */
export interface Tables {
  organizations: {
    id: Generated<number>
    parent_id: number | null
    name: string
    address: string
    email: string
    phone: string
    notes: string
    force_sms_login: Flag
    created: number
    updated: number
  }
  organization_meta: MetaTable<'organization_id'>
  roles: {
    id: Generated<number>
    /** Null: the role belongs to the platform. */
    organization_id: number | null
    name: string
    /** A greater priority is more powerful. */
    priority: number
    /** JSON: permission name or pattern -> boolean. */
    permissions: string
  }
  users: {
    id: Generated<number>
    role_id: number
    email: string
    email_folded: string
    password_hash: string
    first_name: string
    last_name: string
    mobile: string
    note: string
    address: string
    sms_login: Flag
    /** Unix milliseconds; 0 = never. */
    expire_at: number
    created: number
    updated: number
  }
  user_meta: MetaTable<'user_id'>
  user_organizations: { user_id: number; organization_id: number }
  user_installations: { user_id: number; installation_id: number }
  tokens: {
    id: Generated<number>
    user_id: number
    /**
     * SHA-256 of the token, behind a word if it has a mount. The token itself is shown once and stored
     * nowhere.
     */
    hash: string
    purpose: TokenPurpose
    created: number
    /** Unix milliseconds; 0 = until it is deleted. */
    expires: number
    last_used: number
    /** The token ends after so many milliseconds without use; 0 = never. */
    session_timeout: number
    name: string
    /** The user agent of the last use. */
    agent: string
    address: string
    /** JSON list of a restricted key; null = all permissions of its owner. */
    permissions: string | null
    /** The code that a pending sign-in waits for, and the number of guesses. */
    code_hash: string
    tries: number
    /** Both are null for a key without a mount. */
    mount_installation_id: number | null
    mount_prefix: string | null
  }
  sms_log: { user_id: number; created: number }
  /** Uses of limited things that all nodes count together; see shared-uses.ts. */
  recent_uses: { key: string; at: number }
  /**
   * Who may register. A new user joins `organization_id`, or gets a new organization below the
   * other one.
   */
  registration_policies: {
    id: Generated<number>
    email_pattern: string
    /** When the pattern was last changed. */
    pattern_set: number
    role_id: number
    organization_id: number | null
    parent_organization: number | null
  }
  /** People who registered and have not set a password yet. They are not users before that. */
  registrations: {
    /** SHA-256 of the key in the mail. */
    key_hash: string
    policy_id: number
    email: string
    email_folded: string
    first_name: string
    last_name: string
    address: string
    created: number
    expires: number
  }
  installations: {
    id: Generated<number>
    client_id: number
    organization_id: number
    name: string
    notes: string
    /** IANA name; empty = the platform's TIMEZONE. */
    timezone: string
    /** JSON list, as the gateway reported it. */
    capabilities: string
    created: number
    updated: number
  }
  installation_meta: MetaTable<'installation_id'>
  modelx: {
    id: Generated<number>
    kind: ModelxKind
    installation_id: number
    type: string
    type_folded: string
    /** JSON maps of text, in the form of answers. */
    meta: string
    protected_meta: string
    created: number
    updated: number
  }
  /** The one credential of an installation's gateway. Its user name is the client id. */
  gateways: {
    installation_id: number
    /** Behind a word if the credential has a mount. */
    password_hash: string
    created: number
    /** Counts only if `password_hash` says that the credential has a mount. */
    mount_prefix: string | null
  }
  /** Client certificates. They sign in on MQTT as the gateway of the installation. [ADR-0068] */
  certificates: {
    id: Generated<number>
    installation_id: number
    name: string
    /** SHA-256 of the certificate, as 64 hexadecimal digits. */
    fingerprint: string
    subject: string
    /** 1: issued by the platform; 0: by an authority of the operator. */
    is_issued: Flag
    /** Null: no mount. */
    mount_prefix: string | null
    not_before: number
    not_after: number
    created: number
    /** Unix milliseconds; null: it is not revoked. */
    revoked: number | null
  }
  /** This table has at most one row, with the id 1: the authority that issues certificates. */
  certificate_authority: {
    id: number
    /** PEM */
    certificate: string
    /** PKCS 8, PEM */
    private_key: string
    created: number
  }
  /** This table has one row. */
  gateway_policy: { allow_unregistered: Flag; default_organization_id: number }
  /**
   * How many objects of a kind have ids in `block`. Counting blocks finds a page far down the list.
   */
  modelx_counts: { installation_id: number; kind: ModelxKind; block: number; count: number }
  /** Rows that the search index must read again. */
  search_marks: { kind: SearchKind; id: number }
  /** The documents of the search in chunks of neighbours; see features/search/chunks.ts. */
  search_chunks: {
    chunk: number
    /** The segment that searches read; 0 = none yet. */
    segment: number
    /** The documents of the segment, and those of them that changed since. */
    docs: Generated<Uint8Array | null>
    gone: Generated<Uint8Array | null>
    /** The segment that is being written, and what changed since it was begun; 0 = none. */
    building: number
    gone_next: Generated<Uint8Array | null>
    /** The segment that is being removed; 0 = none, -1 = everything is tidy. */
    outdated: number
    /** How many changes are not in the segment. */
    fresh: number
  }
  /** The segments of the search index, in buckets; `place` has bucket, kind and segment. */
  search_postings: { place: number; sets: Uint8Array }
  /** Deleted installations whose objects and history are not deleted yet. */
  erasures: { installation_id: number; created: number }
  /** What the caches of every node must read again; see changes.ts. */
  changes: { seq: Generated<number>; kind: ChangeKind; ref: number; created: number }
  /** This table has one row. The id tells this platform from others on the same broker. */
  platform: {
    id: string
    /** 1 = history knows that it belongs to this platform. */
    has_history: Generated<Flag>
    /** 1 = `usage_months` includes the samples from before usage was counted. */
    has_usage: Generated<Flag>
  }
  /**
   * Ids that history was asked to reserve, and ids it has reserved; null: there is no limit yet.
   */
  id_reserves: { kind: IdKind; asked: number; confirmed: number | null }
  /** Of an installation or of an organization; the other id is null. */
  rules: {
    id: Generated<number>
    installation_id: number | null
    organization_id: number | null
    name: string
    active: Flag
    severity: Severity
    /** JSON: `on`, `when`, `for`, `hysteresis`, `schedule` and `message`, as in answers. */
    definition: string
    created: number
    updated: number
  }
  alarms: {
    id: Generated<number>
    installation_id: number
    /** 0: the gateway of the installation is gone. The rule may be deleted. */
    rule_id: number
    topic: string
    severity: Severity
    raised_at: number
    acknowledged_at: number | null
    acknowledged_by: number | null
    note: string
    cleared_at: number | null
    value: number | null
    message: string
    /** 0: it was raised by an import or by old values, so nobody is told. */
    is_told: Flag
    /** The state that the teller has seen: 0 none, 1 open, 2 cleared. */
    told: Generated<number>
  }
  /** Phones that get push messages. */
  mobile_devices: { firebase_token: string; device_id: string; user_id: number; created: number }
  /** HTTP services that bring messages to people. */
  notification_executors: {
    id: Generated<number>
    organization_id: number
    type: string
    name: string
    /** JSON map of text; `url` is the address that is called. */
    config: string
    secret: string
    created: number
    updated: number
  }
  /** `is_additive`: 1 if programs that do not know the migration can live with it. */
  schema_migrations: {
    number: number
    name: string
    applied: number
    is_additive: Generated<number>
  }
}

/** A pending sign-in waits for its second factor. A reset key can only set a new password. */
export type TokenPurpose = 'session' | 'key' | 'pending' | 'reset'

export type ModelxKind = 'device' | 'function'

export type SearchKind = ModelxKind | 'installation'

export type ChangeKind =
  | 'installation'
  | 'user'
  | 'role'
  | 'organization'
  | 'tree'
  | 'assignment'
  | 'gateway'
  | 'blacklist'
  | 'quota'
  | 'installation_mapping'
  | 'organization_mapping'
  | 'installation_rule'
  | 'organization_rule'
