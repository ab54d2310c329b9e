import type { UserRole } from "@/api/accounts/people";

/** What each role is, as the settings explain it. */
export const ROLES: Readonly<Record<UserRole, { label: string; about: string }>> = {
  admin: { label: "Administrator", about: "runs the server: people, models, settings" },
  auditor: { label: "Auditor", about: "a member who also reads the audit and who is here" },
  member: { label: "Member", about: "starts chats" },
  viewer: { label: "Viewer", about: "reads what was shared" },
};

export const ROLE_NAMES = Object.keys(ROLES) as readonly UserRole[];
