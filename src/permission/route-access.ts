import type { PlainPermission, ScopedAction } from './catalogue.ts'
import type { ModelxResource, ModelxVerb } from './modelx-types.ts'

/** What a route requires of its caller. */
export type RouteAccess =
  | { kind: 'public' }
  | { kind: 'signedIn' }
  /** The caller shows the token of a sign-in that waits for its second factor. */
  | { kind: 'pending' }
  /**
   * The caller is the gateway of the path's installation, or registers as it if there is none yet.
   */
  | { kind: 'gateway' }
  /** The action on the path's installation, which must be assigned to the caller. */
  | { kind: 'assigned'; action: ScopedAction }
  /** The caller is an account of SYSTEM_ACCOUNTS. */
  | { kind: 'system' }
  /** The caller is the external broker and shows BROKER_KEY. */
  | { kind: 'broker' }
  /** The caller has any of these permissions. */
  | { kind: 'permission'; permissions: readonly PlainPermission[] }
  /** The caller has any of these permissions and reaches the whole platform. */
  | { kind: 'platform'; permissions: readonly PlainPermission[] }
  /** One of the actions on the installation named by the path's `installation_id`. */
  | { kind: 'installation'; actions: readonly ScopedAction[] }
  /** The same for the installation named by the query's `bucket`. */
  | { kind: 'bucket'; actions: readonly ScopedAction[] }
  /** The caller may do it with at least one type of objects on the path's installation. */
  | { kind: 'modelx'; resource: ModelxResource; verb: ModelxVerb }
  /** The caller sees the path's `organization_id` and has any of the permissions. */
  | { kind: 'organization'; permissions: readonly PlainPermission[] }
  /** Things that the path's `organization_id` itself owns: the action there, or any permission. */
  | { kind: 'within'; action: ScopedAction; permissions: readonly PlainPermission[] }
  /** The path's `user_id` is the caller (`me`), or a visible user and any of the permissions. */
  | {
      kind: 'user'
      permissions: readonly PlainPermission[]
      edits: 'nothing' | 'record' | 'account'
    }
