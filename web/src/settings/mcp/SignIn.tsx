import { LogIn } from "lucide-react";
import { type FormEvent, useState } from "react";
import { type McpServer, useConnectMcpServer, useFinishMcpSignIn } from "@/api/catalog/mcp";
import { sentence } from "@/api/errors";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";

/** Another page signs in, and shows a code: only who has begun here can finish with it. */
export function SignIn({ server }: { server: McpServer }) {
  const connect = useConnectMcpServer();
  const finish = useFinishMcpSignIn();
  const [code, setCode] = useState("");
  const begin = () =>
    connect.mutate(server.id, {
      onSuccess: ({ authorization_url }) => window.open(authorization_url, "_blank", "noopener,noreferrer"),
    });

  function submit(event: FormEvent): void {
    event.preventDefault();
    finish.mutate({ id: server.id, code: code.trim() });
  }

  return (
    <div className="flex flex-col gap-3 text-sm">
      <div className="flex flex-wrap items-center gap-3">
        <p className="text-muted">You are not signed in there, so its tools are not offered.</p>
        <Button size="small" busy={connect.isPending} onClick={begin}>
          <LogIn aria-hidden size={14} /> {connect.data ? "Begin anew" : "Sign in"}
        </Button>
      </div>
      {connect.error && (
        <p role="alert" className="text-bad">
          {sentence(connect.error)}
        </p>
      )}
      {connect.data && (
        <form onSubmit={submit} className="flex max-w-sm flex-wrap items-end gap-2">
          <Field
            label="The code that the other page shows at the end"
            autoComplete="off"
            value={code}
            error={finish.error && sentence(finish.error)}
            onChange={(event) => setCode(event.target.value)}
          />
          <Button type="submit" look="primary" busy={finish.isPending} disabled={code.trim() === ""}>
            Finish
          </Button>
        </form>
      )}
    </div>
  );
}
